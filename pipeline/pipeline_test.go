package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

// rig is a group of ranks in this process, without the public face.
type rig struct {
	t       *testing.T
	trs     []transport.Transport
	runners []*pipeline.Runner
	pools   []*mem.Pool
}

// newRig connects every pair of neighbours of the plan with lanes connections.
func newRig(t *testing.T, plan schedule.Plan, cfg pipeline.Config, lanes int, wrap func(transport.Transport) transport.Transport) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	n := inproc.NewNetwork(inproc.Config{})
	r := &rig{t: t}
	var listeners []transport.Listener
	for rank := range plan.Ranks {
		tr, err := n.Open(ctx, transport.Identity{Job: 1, Rank: rank, Ranks: plan.Ranks})
		if err != nil {
			t.Fatal(err)
		}
		if wrap != nil {
			tr = wrap(tr)
		}
		l, err := tr.Listen(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.trs, listeners = append(r.trs, tr), append(listeners, l)
		r.pools = append(r.pools, mem.NewPool(mem.PoolConfig{}))
	}
	links := make([]pipeline.Links, plan.Ranks)
	for rank := range links {
		links[rank] = pipeline.Links{Out: map[int][]transport.Conn{}, In: map[int][]transport.Conn{}}
	}
	for rank := range plan.Ranks {
		program, err := pipeline.Compile(plan, rank)
		if err != nil {
			t.Fatal(err)
		}
		for _, peer := range program.Destinations() {
			for lane := range lanes {
				in := make(chan transport.Conn, 1)
				go func() {
					c, _ := listeners[peer].Accept(ctx)
					in <- c
				}()
				out, err := r.trs[rank].Dial(ctx, listeners[peer].Addr(), transport.Peer{Rank: peer, Lane: lane})
				if err != nil {
					t.Fatal(err)
				}
				links[rank].Out[peer] = append(links[rank].Out[peer], out)
				links[peer].In[rank] = append(links[peer].In[rank], <-in)
			}
		}
	}
	for rank := range plan.Ranks {
		run, err := pipeline.New(r.trs[rank], links[rank], nil, r.pools[rank], reduce.NewCPU(64), cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.runners = append(r.runners, run)
	}
	t.Cleanup(func() {
		for rank := range r.trs {
			r.trs[rank].Close()
			r.runners[rank].Drain()
			if err := r.runners[rank].Close(); err != nil {
				t.Error(err)
			}
			if err := r.pools[rank].Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// run executes one float32 collective on all ranks; src[r] and dst[r] are rank
// r's buffers.
func (r *rig) run(plan schedule.Plan, op reduce.Op, count int, dst, src [][]float32, inPlace bool) []error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	kernel, err := op.Kernel(reduce.Float32)
	if err != nil {
		r.t.Fatal(err)
	}
	errs := make([]error, plan.Ranks)
	var wg sync.WaitGroup
	for rank := range plan.Ranks {
		wg.Go(func() {
			program, err := pipeline.Compile(plan, rank)
			if err != nil {
				errs[rank] = err
				return
			}
			s, err1 := r.trs[rank].Register(mem.Of(src[rank]))
			d, err2 := r.trs[rank].Register(mem.Of(dst[rank]))
			if err := errors.Join(err1, err2); err != nil {
				errs[rank] = err
				return
			}
			errs[rank] = r.runners[rank].Run(ctx, &pipeline.Job{Program: program, Seq: 1, Elem: 4, Count: count,
				Kernel: kernel, Finish: op.Finish(reduce.Float32), Src: s, Dst: d, InPlace: inPlace})
			if errs[rank] == nil {
				errs[rank] = errors.Join(s.Close(), d.Close())
			}
		})
	}
	wg.Wait()
	return errs
}

// orderSensitive is data for which every order of additions gives another sum.
func orderSensitive(rank, n int) []float32 {
	rnd := rand.New(rand.NewPCG(uint64(rank), 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rnd.NormFloat64()) * float32(uint(1)<<rnd.UintN(20))
	}
	return x
}

// chunkBounds is the definition of the chunks of an AllReduce, apart from the
// pipeline's.
func chunkBounds(count, chunks, c int) (lo, hi int) {
	for i := 0; i <= c; i++ {
		lo = hi
		hi = lo + count/chunks
		if i < count%chunks {
			hi++
		}
	}
	return lo, hi
}

// ringSum adds in the ring's order: chunk c begins at rank c+1 and ends at rank c.
func ringSum(src [][]float32, count int) []float32 {
	p := len(src)
	out := make([]float32, count)
	for c := range p {
		lo, hi := chunkBounds(count, p, c)
		for i := lo; i < hi; i++ {
			acc := src[(c+1)%p][i]
			for k := 2; k <= p; k++ {
				acc += src[(c+k)%p][i]
			}
			out[i] = acc
		}
	}
	return out
}

func buffers(p, n int) [][]float32 {
	b := make([][]float32, p)
	for r := range b {
		b[r] = make([]float32, n)
	}
	return b
}

func sources(p, n int) [][]float32 {
	b := make([][]float32, p)
	for r := range b {
		b[r] = orderSensitive(r, n)
	}
	return b
}

func noErrors(t *testing.T, errs []error) {
	t.Helper()
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
}

// TestAllReduceBits is the promise of bit-identical results: one definition of
// the order of additions, whatever the sub-chunk, depth, lanes and placement.
func TestAllReduceBits(t *testing.T) {
	for _, p := range []int{1, 2, 3, 4, 5, 8} {
		testBits(t, schedule.Ring(p), ringSum)
		testBits(t, schedule.Chain(p), rankSum)
		testBits(t, schedule.Exchange(p), rankSum)
		testBits(t, schedule.Flat(p), rankSum)
	}
}

// rankSum adds in rank order.
func rankSum(src [][]float32, count int) []float32 {
	out := slices.Clone(src[0])
	for _, x := range src[1:] {
		for i := range out {
			out[i] += x[i]
		}
	}
	return out
}

func testBits(t *testing.T, plan schedule.Plan, sum func(src [][]float32, count int) []float32) {
	leak.Check(t)
	{
		p := plan.Ranks
		for _, cfg := range []pipeline.Config{{}, {SubChunk: 64, Depth: 1}, {SubChunk: 100, Depth: 3}, {SubChunk: 4096, Depth: 32}} {
			for lanes := 1; lanes <= 3; lanes += 2 {
				t.Run(fmt.Sprintf("%s/P=%d/sub=%d/depth=%d/lanes=%d", plan.Name, p, cfg.SubChunk, cfg.Depth, lanes), func(t *testing.T) {
					r := newRig(t, plan, cfg, lanes, nil)
					for _, count := range []int{0, 1, p - 1, p, p + 1, 127, 1000, 40001} {
						src := sources(p, count)
						want := sum(src, count)
						dst := buffers(p, count)
						noErrors(t, r.run(plan, reduce.Sum, count, dst, src, false))
						for rank := range dst {
							if !slices.Equal(src[rank], orderSensitive(rank, count)) {
								t.Fatalf("count %d: rank %d's source was written", count, rank)
							}
							if !slices.Equal(dst[rank], want) {
								t.Fatalf("count %d: rank %d out of place has another sum", count, rank)
							}
						}
						noErrors(t, r.run(plan, reduce.Sum, count, src, src, true))
						for rank := range src {
							if !slices.Equal(src[rank], want) {
								t.Fatalf("count %d: rank %d in place has another sum", count, rank)
							}
						}
					}
				})
			}
		}
	}
}

func TestReduceScatter(t *testing.T) {
	leak.Check(t)
	for _, p := range []int{1, 2, 3, 4, 7} {
		testReduceScatter(t, schedule.RingReduceScatter(p), ringSum)
		testReduceScatter(t, schedule.ChainReduceScatter(p), rankSum)
		testReduceScatter(t, schedule.ExchangeReduceScatter(p), rankSum)
	}
}

func testReduceScatter(t *testing.T, plan schedule.Plan, sum func(src [][]float32, count int) []float32) {
	t.Helper()
	p := plan.Ranks
	r := newRig(t, plan, pipeline.Config{SubChunk: 128, Depth: 2}, 2, nil)
	for _, count := range []int{0, 1, 33, 5000} {
		src, dst := sources(p, p*count), buffers(p, count)
		want := sum(src, p*count)
		noErrors(t, r.run(plan, reduce.Sum, count, dst, src, false))
		for rank := range dst {
			if !slices.Equal(dst[rank], want[rank*count:][:count]) {
				t.Fatalf("%s P=%d count %d: rank %d has not its block of the sum", plan.Name, p, count, rank)
			}
			if !slices.Equal(src[rank], orderSensitive(rank, p*count)) {
				t.Fatalf("%s P=%d count %d: rank %d's source was written", plan.Name, p, count, rank)
			}
		}
	}
}

func TestAllGather(t *testing.T) {
	leak.Check(t)
	for _, p := range []int{1, 2, 3, 4, 7} {
		plan := schedule.RingAllGather(p)
		r := newRig(t, plan, pipeline.Config{SubChunk: 128, Depth: 2}, 2, nil)
		for _, count := range []int{0, 1, 33, 5000} {
			src, dst := sources(p, count), buffers(p, p*count)
			noErrors(t, r.run(plan, reduce.Sum, count, dst, src, false))
			for rank := range dst {
				if !slices.Equal(dst[rank], slices.Concat(src...)) {
					t.Fatalf("P=%d count %d: rank %d has not all blocks", p, count, rank)
				}
			}
		}
	}
}

// TestChain runs an operator that does not commute: a ∘ b = a·2 + b tells the
// order of its operands.
func TestChain(t *testing.T) {
	leak.Check(t)
	op := reduce.Func("shift", false, func(in, inout []float32) {
		for i := range inout {
			inout[i] = in[i]*2 + inout[i]
		}
	})
	for _, p := range []int{1, 2, 3, 5} {
		plan := schedule.Chain(p)
		r := newRig(t, plan, pipeline.Config{SubChunk: 256}, 1, nil)
		for _, count := range []int{1, 7, 3000} {
			src, dst := sources(p, count), buffers(p, count)
			want := slices.Clone(src[0])
			for rank := 1; rank < p; rank++ {
				for i := range want {
					want[i] = want[i]*2 + src[rank][i]
				}
			}
			noErrors(t, r.run(plan, op, count, dst, src, false))
			for rank := range dst {
				if !slices.Equal(dst[rank], want) {
					t.Fatalf("P=%d count %d: rank %d is not in rank order", p, count, rank)
				}
			}
		}
	}
}

// TestDisturbed: a transport that is slow, full and wakes for nothing changes no
// bit, for any plan.
func TestDisturbed(t *testing.T) {
	leak.Check(t)
	faulty := func(tr transport.Transport) transport.Transport {
		return transporttest.Faulty(tr, transporttest.Faults{HoldPolls: 3, OneAtATime: true, SpuriousWaitEvery: 2, QueueFullEvery: 5})
	}
	for _, p := range []int{2, 5, 9} {
		for _, depth := range []int{1, 4} {
			const count = 3000
			for _, plan := range []schedule.Plan{schedule.Ring(p), schedule.RingReduceScatter(p)} {
				r := newRig(t, plan, pipeline.Config{SubChunk: 64, Depth: depth}, 2, faulty)
				n, out := count, count
				if plan.Collective == schedule.ReduceScatter {
					n = p * count
				}
				src, dst := sources(p, n), buffers(p, out)
				want := ringSum(src, n)
				noErrors(t, r.run(plan, reduce.Sum, count, dst, src, false))
				for rank := range dst {
					mine := want
					if plan.Collective == schedule.ReduceScatter {
						mine = want[rank*count:][:count]
					}
					if !slices.Equal(dst[rank], mine) {
						t.Fatalf("P=%d depth %d %v: rank %d differs", p, depth, plan.Collective, rank)
					}
				}
			}
		}
	}
}

func TestAvgDividesOnce(t *testing.T) {
	plan := schedule.Ring(3)
	r := newRig(t, plan, pipeline.Config{SubChunk: 64}, 1, nil)
	src := sources(3, 1000)
	want := ringSum(src, 1000)
	for i := range want {
		want[i] /= 3
	}
	noErrors(t, r.run(plan, reduce.Avg, 1000, src, src, true))
	for rank := range src {
		if !slices.Equal(src[rank], want) {
			t.Fatalf("rank %d: avg is not the ring's sum divided by 3", rank)
		}
	}
}

func TestAbortEndsRun(t *testing.T) {
	leak.Check(t)
	plan := schedule.Ring(2)
	r := newRig(t, plan, pipeline.Config{}, 1, nil)
	cause := errors.New("the cause")
	program, err := pipeline.Compile(plan, 0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.trs[0].Register(mem.Of(make([]float32, 10)))
	if err != nil {
		t.Fatal(err)
	}
	kernel, _ := reduce.Sum.Kernel(reduce.Float32)
	failed := make(chan error, 1)
	go func() { // rank 1 never comes
		failed <- r.runners[0].Run(t.Context(), &pipeline.Job{Program: program, Elem: 4, Count: 10, Kernel: kernel, Src: x, Dst: x, InPlace: true})
	}()
	for r.runners[0].WaitingFor() != 1 { // it says whom it waits for
		select {
		case err := <-failed:
			t.Fatalf("ended early: %v", err)
		default:
		}
	}
	r.runners[0].Abort(cause)
	if err := <-failed; !errors.Is(err, cause) {
		t.Fatalf("Run returned %v, want %v", err, cause)
	}
}
