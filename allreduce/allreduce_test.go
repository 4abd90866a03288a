package allreduce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/shm"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// drivers are the transports that every test of behaviour runs over.
func drivers() map[string]func() transport.Driver {
	return map[string]func() transport.Driver{
		"tcp":    func() transport.Driver { return tcp.New(tcp.Config{Listen: "127.0.0.1"}) },
		"shm":    func() transport.Driver { return shm.New(shm.Config{}) },
		"inproc": func() transport.Driver { return inproc.NewNetwork(inproc.Config{}) },
	}
}

// world runs f on every rank of a new group, each in its own goroutine, closes
// the groups and returns the errors by rank. base configures all ranks alike.
func world(t testing.TB, ranks int, base allreduce.Config, f func(ctx context.Context, g *allreduce.Group) error) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	meet := rendezvous.NewMemory()
	if base.Drivers == nil {
		base.Drivers = []transport.Driver{drivers()["tcp"]()}
	}
	base.Log = slog.New(slog.DiscardHandler)
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	for rank := range ranks {
		wg.Go(func() {
			c := base
			c.Rank, c.Ranks, c.Store = rank, ranks, meet.Client()
			defer c.Store.Close()
			g, err := allreduce.Join(ctx, c)
			if err != nil {
				errs[rank] = err
				return
			}
			errs[rank] = f(ctx, g)
			if err := g.Close(); err != nil && errs[rank] == nil {
				errs[rank] = err
			}
		})
	}
	wg.Wait()
	return errs
}

func noErrors(t *testing.T, errs []error) {
	t.Helper()
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
}

func noise(rank, n int) []float32 {
	rnd := rand.New(rand.NewPCG(uint64(rank), 7))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rnd.NormFloat64()) * float32(uint(1)<<rnd.UintN(20))
	}
	return x
}

// TestSameBitsEverywhere is the promise of the package comment, on data for
// which the order of additions matters.
func TestSameBitsEverywhere(t *testing.T) {
	leak.Check(t)
	const n = 30011
	for _, ranks := range []int{2, 3, 5} {
		var want []float32
		for name, driver := range drivers() {
			for _, c := range []allreduce.Config{{}, {SubChunk: 1000, Depth: 1}, {SubChunk: 64 << 10, Depth: 2, Conns: 3}} {
				c.Drivers = []transport.Driver{driver()}
				results := make([][]float32, ranks)
				noErrors(t, world(t, ranks, c, func(ctx context.Context, g *allreduce.Group) error {
					for range 2 {
						x := noise(g.Rank(), n)
						if err := allreduce.AllReduce(ctx, g, x, reduce.Sum); err != nil {
							return err
						}
						results[g.Rank()] = x
					}
					return nil
				}))
				for rank, x := range results {
					if want == nil {
						want = x
					}
					if !slices.Equal(x, want) {
						t.Fatalf("P=%d %s %+v: rank %d differs", ranks, name, c, rank)
					}
				}
			}
		}
	}
}

func TestCollectives(t *testing.T) {
	leak.Check(t)
	for name, driver := range drivers() {
		for _, ranks := range []int{1, 2, 3, 4} {
			t.Run(fmt.Sprintf("%s/P=%d", name, ranks), func(t *testing.T) {
				noErrors(t, world(t, ranks, allreduce.Config{Drivers: []transport.Driver{driver()}}, func(ctx context.Context, g *allreduce.Group) error {
					return everyCollective(ctx, g)
				}))
			})
		}
	}
}

func everyCollective(ctx context.Context, g *allreduce.Group) error {
	p, r := int64(g.Size()), int64(g.Rank())
	for _, n := range []int{0, 1, 5, 1000} {
		src, dst := make([]int64, n), make([]int64, n)
		for i := range src {
			src[i] = r + int64(i)
		}
		if err := allreduce.AllReduceTo(ctx, g, dst, src, reduce.Sum); err != nil {
			return err
		}
		for i := range dst {
			if want := p*(p-1)/2 + p*int64(i); dst[i] != want || src[i] != r+int64(i) {
				return fmt.Errorf("allreduce of %d: element %d is %d, want %d", n, i, dst[i], want)
			}
		}
		all := make([]int64, n*g.Size())
		if err := allreduce.AllGather(ctx, g, all, src); err != nil {
			return err
		}
		for i := range all {
			if want := int64(i/n) + int64(i%n); all[i] != want {
				return fmt.Errorf("allgather of %d: element %d is %d, want %d", n, i, all[i], want)
			}
		}
		if err := allreduce.ReduceScatter(ctx, g, dst, all, reduce.Max); err != nil {
			return err
		}
		for i := range dst {
			if want := r + int64(i); dst[i] != want {
				return fmt.Errorf("reducescatter of %d: element %d is %d, want %d", n, i, dst[i], want)
			}
		}
		own := all[int(r)*n:][:n]
		if err := allreduce.ReduceScatter(ctx, g, own, all, reduce.Sum); err != nil {
			return err
		}
		if err := allreduce.AllGather(ctx, g, all, own); err != nil {
			return err
		}
		for i := range all {
			if want := p * (int64(i/n) + int64(i%n)); all[i] != want {
				return fmt.Errorf("in place, %d: element %d is %d, want %d", n, i, all[i], want)
			}
		}
		if err := g.Barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestBarrierWaits: no rank leaves before the last one has come.
func TestBarrierWaits(t *testing.T) {
	leak.Check(t)
	var mu sync.Mutex
	entered := 0
	noErrors(t, world(t, 4, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		for round := 1; round <= 20; round++ {
			mu.Lock()
			entered++
			mu.Unlock()
			if err := g.Barrier(ctx); err != nil {
				return err
			}
			mu.Lock()
			if entered < 4*round {
				return fmt.Errorf("left round %d after %d entries", round, entered)
			}
			mu.Unlock()
		}
		return nil
	}))
}

func TestStart(t *testing.T) {
	leak.Check(t)
	noErrors(t, world(t, 3, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		var started []*allreduce.Pending
		var xs [][]float64
		for i := range 5 {
			x := []float64{float64(i), 1}
			p, err := g.Start(ctx, allreduce.RequestOf(x, x, reduce.Sum))
			if err != nil {
				return err
			}
			started, xs = append(started, p), append(xs, x)
		}
		if err := g.Barrier(ctx); err != nil { // behind what was started
			return err
		}
		for i, p := range started {
			if err := p.Wait(ctx); err != nil {
				return err
			}
			if want := []float64{float64(3 * i), 3}; !slices.Equal(xs[i], want) {
				return fmt.Errorf("operation %d gave %v, want %v", i, xs[i], want)
			}
		}
		return nil
	}))
}

// TestMismatch: ranks that call different things all learn what differs.
func TestMismatch(t *testing.T) {
	type call = func(ctx context.Context, g *allreduce.Group) error
	ar := func(n int, op reduce.Op) call {
		return func(ctx context.Context, g *allreduce.Group) error {
			return allreduce.AllReduce(ctx, g, make([]float32, n), op)
		}
	}
	for _, c := range []struct {
		name        string
		all, other  call
		wants, word string
	}{
		{"count", ar(1000, reduce.Sum), ar(1001, reduce.Sum), "of 1001 float32", "they differ in the count"},
		{"count 0", ar(1000, reduce.Sum), ar(0, reduce.Sum), "of 0 float32", "they differ in the count"},
		{"large", ar(1<<20, reduce.Sum), ar(1<<20+1, reduce.Sum), "of 1048577 float32", "they differ in the count"},
		{"operator", ar(1000, reduce.Sum), ar(1000, reduce.Max), "with max", "they differ in the operator"},
		{"type", ar(1000, reduce.Sum), func(ctx context.Context, g *allreduce.Group) error {
			return allreduce.AllReduce(ctx, g, make([]int32, 1000), reduce.Sum)
		}, "of 1000 int32", "they differ in the type"},
		{"order", ar(1, reduce.Max), func(ctx context.Context, g *allreduce.Group) error { return g.Barrier(ctx) }, "barrier #1", "they differ in the collective"},
	} {
		for name, driver := range drivers() {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				leak.Check(t)
				errs := world(t, 4, allreduce.Config{Drivers: []transport.Driver{driver()}}, func(ctx context.Context, g *allreduce.Group) error {
					call := c.all
					if g.Rank() == 2 {
						call = c.other
					}
					err := call(ctx, g)
					if again := g.Barrier(ctx); !errors.Is(again, allreduce.ErrAborted) {
						return fmt.Errorf("a dead group answered %w", again)
					}
					return err
				})
				for rank, err := range errs {
					if !errors.Is(err, allreduce.ErrMismatch) || !strings.Contains(err.Error(), c.wants) ||
						!strings.Contains(err.Error(), "rank 2 called") || !strings.Contains(err.Error(), c.word) {
						t.Errorf("rank %d: %v", rank, err)
					}
				}
			})
		}
	}
}

func TestInvalidArgumentsHarmNothing(t *testing.T) {
	leak.Check(t)
	noErrors(t, world(t, 2, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		x := make([]float32, 10)
		for name, err := range map[string]error{
			"lengths":        allreduce.AllReduceTo(ctx, g, x, x[:5], reduce.Sum),
			"overlap":        allreduce.AllReduceTo(ctx, g, x[1:], x[:9], reduce.Sum),
			"blocks":         allreduce.ReduceScatter(ctx, g, x, x, reduce.Sum),
			"foreign place":  allreduce.ReduceScatter(ctx, g, x[(1-g.Rank())*5:][:5], x, reduce.Sum),
			"no operator":    allreduce.AllReduce(ctx, g, x, reduce.Op{}),
			"other operator": allreduce.AllReduce(ctx, g, x, reduce.Func("f", true, func(in, inout []int8) {})),
		} {
			if !errors.Is(err, allreduce.ErrInvalid) {
				return fmt.Errorf("%s: %v", name, err)
			}
		}
		return g.Barrier(ctx) // the group lives
	}))
}

func TestAbort(t *testing.T) {
	leak.Check(t)
	errs := world(t, 3, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		if g.Rank() == 1 {
			g.Abort(errors.New("out of cheese"))
			return g.Barrier(ctx)
		}
		return allreduce.AllReduce(ctx, g, make([]float32, 100), reduce.Sum)
	})
	for rank, err := range errs {
		if !errors.Is(err, allreduce.ErrAborted) || !strings.Contains(err.Error(), "out of cheese") || !strings.Contains(err.Error(), "rank 1") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestTimeoutNamesTheLate: the error of a collective that takes too long says
// who has not come.
func TestTimeoutNamesTheLate(t *testing.T) {
	leak.Check(t)
	others := make(chan struct{}, 3)
	errs := world(t, 4, allreduce.Config{OpTimeout: 200 * time.Millisecond}, func(ctx context.Context, g *allreduce.Group) error {
		if err := g.Barrier(ctx); err != nil {
			return err
		}
		if g.Rank() == 2 { // stays away until the others have given up
			for range 3 {
				<-others
			}
			return nil
		}
		err := allreduce.AllReduce(ctx, g, make([]float32, 100), reduce.Sum)
		others <- struct{}{}
		return err
	})
	for rank, err := range errs {
		if rank == 2 {
			continue
		}
		if !errors.Is(err, allreduce.ErrTimeout) || !strings.Contains(err.Error(), "not entered by rank 2") || !strings.Contains(err.Error(), "allreduce #2") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestCancel(t *testing.T) {
	leak.Check(t)
	errs := world(t, 2, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		if g.Rank() == 1 {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return allreduce.AllReduce(ctx, g, make([]float32, 1<<20), reduce.Sum)
		}
		return allreduce.AllReduce(ctx, g, make([]float32, 1<<20), reduce.Sum)
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "rank 1") || !strings.Contains(err.Error(), "context canceled") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestJoinNamesTheMissing(t *testing.T) {
	leak.Check(t)
	meet := rendezvous.NewMemory()
	_, err := allreduce.Join(t.Context(), allreduce.Config{Rank: 1, Ranks: 4, Store: meet.Client(), JoinTimeout: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "1 of 4 joined; missing 0, 2, 3") {
		t.Fatal(err)
	}
}

func TestJoinComparesSettings(t *testing.T) {
	leak.Check(t)
	meet := rendezvous.NewMemory()
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for rank := range errs {
		wg.Go(func() {
			c := allreduce.Config{Rank: rank, Ranks: 2, Store: meet.Client(), Depth: 2 + rank, Log: slog.New(slog.DiscardHandler)}
			g, err := allreduce.Join(t.Context(), c)
			if err == nil {
				g.Close()
			}
			errs[rank] = err
		})
	}
	wg.Wait()
	for rank, err := range errs {
		if !errors.Is(err, allreduce.ErrConfigMismatch) || !strings.Contains(err.Error(), "depth: rank 0") || !strings.Contains(err.Error(), "has 2, rank 1") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestSteadyStateAllocatesNothing: collectives on registered memory, over both
// transports.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	leak.Check(t)
	const rounds = 50
	for name, driver := range drivers() {
		for _, n := range []int{1, 1 << 20} {
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				noErrors(t, world(t, 2, allreduce.Config{Drivers: []transport.Driver{driver()}}, func(ctx context.Context, g *allreduce.Group) error {
					x := make([]float32, n)
					reg, err := allreduce.RegisterSlice(g, x)
					if err != nil {
						return err
					}
					defer reg.Close()
					block := x[g.Rank()*(n/2):][:n/2]
					once := func() {
						if err == nil {
							err = allreduce.AllReduce(ctx, g, x, reduce.Max)
						}
						if err == nil { // plans take turns
							err = allreduce.ReduceScatter(ctx, g, block, x[:n/2*2], reduce.Max)
						}
					}
					if g.Rank() == 1 {
						for range rounds + 1 { // AllocsPerRun has one warm-up
							once()
						}
						return err
					}
					if a := testing.AllocsPerRun(rounds, once); a != 0 && !raceEnabled {
						return fmt.Errorf("%v allocations per AllReduce, on both ranks together", a)
					}
					return err
				}))
			})
		}
	}
}

// TestGoroutinesDoNotGrow: the operator, which runs in the middle of a
// collective, counts them.
func TestGoroutinesDoNotGrow(t *testing.T) {
	leak.Check(t)
	var most atomic.Int64
	count := reduce.Func("count", true, func(in, inout []float32) {
		if n := int64(runtime.NumGoroutine()); n > most.Load() {
			most.Store(n)
		}
	})
	noErrors(t, world(t, 2, allreduce.Config{Conns: 2}, func(ctx context.Context, g *allreduce.Group) error {
		var first int64
		for _, n := range []int{2, 1 << 22} {
			if err := errors.Join(allreduce.AllReduce(ctx, g, make([]float32, n), count), g.Barrier(ctx)); err != nil {
				return err
			}
			if first == 0 {
				first = most.Load()
			}
		}
		if last := most.Load(); last > first {
			return fmt.Errorf("%d goroutines at 16 MiB, %d at 8 bytes", last, first)
		}
		return g.Barrier(ctx)
	}))
}
