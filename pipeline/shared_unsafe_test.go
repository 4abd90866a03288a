package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// kernelCopies stands in for the kernel's copies out of private memory.
type kernelCopies struct {
	mu      sync.Mutex
	private map[uintptr][]byte // by address of the first byte
	copied  int
}

// secretive is a Direct that hides its rank's buffers.
type secretive struct {
	transport.Direct
	hide bool
	k    *kernelCopies
}

func (s secretive) Address(r transport.MemoryRegion, off int) (transport.Address, bool) {
	if s.hide {
		return transport.Address{}, false
	}
	return s.Direct.Address(r, off)
}

func (s secretive) Fetch(dst []byte, peer int, from uintptr) error {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	for at, b := range s.k.private {
		if from >= at && from+uintptr(len(dst)) <= at+uintptr(len(b)) {
			s.k.copied += copy(dst, b[from-at:])
			return nil
		}
	}
	return errors.New("nobody's memory")
}

// teamRig is ranks of one process that share memory, all or some of it.
type teamRig struct {
	t       *testing.T
	ranks   int
	trs     []transport.Transport
	runners []*pipeline.Runner
	k       *kernelCopies
	fetch   bool
}

func newTeamRig(t *testing.T, ranks int, hide func(rank int) bool, fetch bool, cfg pipeline.Config) *teamRig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	n := inproc.NewNetwork(inproc.Config{})
	r := &teamRig{t: t, ranks: ranks, trs: make([]transport.Transport, ranks), runners: make([]*pipeline.Runner, ranks),
		k: &kernelCopies{private: map[uintptr][]byte{}}, fetch: fetch}
	team, all := map[int]string{}, []int{}
	for rank := range ranks {
		team[rank], all = "", append(all, rank)
	}
	var wg sync.WaitGroup
	pools := make([]*mem.Pool, ranks)
	for rank := range ranks {
		tr, err := n.Open(ctx, transport.Identity{Job: 1, Rank: rank, Ranks: ranks})
		if err != nil {
			t.Fatal(err)
		}
		r.trs[rank], pools[rank] = tr, mem.NewPool(mem.PoolConfig{})
		wg.Go(func() {
			d := tr.(transport.Direct)
			if err := d.Assemble(ctx, team, cfg.BoardSize()); err != nil {
				t.Error(err)
				return
			}
			share := &pipeline.Share{Direct: secretive{d, hide(rank), r.k}, Ranks: all, Rank: rank, Fetch: fetch}
			if r.runners[rank], err = pipeline.New(tr, pipeline.Links{}, share, pools[rank], reduce.NewCPU(64), cfg); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() {
		for rank := range r.trs {
			r.trs[rank].Close()
			if err := errors.Join(r.runners[rank].Close(), pools[rank].Close()); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

// plans are the direct plan of a collective and what takes its place where
// results cannot be written.
func directPlans(c schedule.Collective, n, root int) (push, pull schedule.Plan) {
	switch c {
	case schedule.ReduceScatter:
		push = schedule.DirectReduceScatter(n)
	case schedule.AllGather:
		push = schedule.DirectAllGather(n)
	case schedule.Broadcast:
		push = schedule.DirectBroadcast(n, root)
	default:
		return schedule.Direct(n), schedule.DirectPull(n)
	}
	return push, push
}

// buffersOf are the lengths of source and result in elements.
func buffersOf(c schedule.Collective, ranks, count int) (src, dst int) {
	switch c {
	case schedule.ReduceScatter:
		return count * ranks, count
	case schedule.AllGather:
		return count, count * ranks
	}
	return count, count
}

// run executes a collective `times` times on every rank, each time on new data,
// and compares every element with a loop in rank order.
func (r *teamRig) run(c schedule.Collective, root, count, times int, inPlace bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	push, pull := directPlans(c, r.ranks, root)
	nsrc, ndst := buffersOf(c, r.ranks, count)
	var wg sync.WaitGroup
	for rank := range r.ranks {
		wg.Go(func() {
			if err := r.member(ctx, rank, push, pull, nsrc, ndst, count, times, inPlace); err != nil {
				r.t.Errorf("P=%d %v count %d in place %t rank %d: %v", r.ranks, c, count, inPlace, rank, err)
				cancel()
			}
		})
	}
	wg.Wait()
	if r.t.Failed() {
		r.t.FailNow()
	}
}

func (r *teamRig) member(ctx context.Context, rank int, push, pull schedule.Plan, nsrc, ndst, count, times int, inPlace bool) error {
	c := push.Collective
	p1, err1 := pipeline.Compile(push, rank)
	p2, err2 := pipeline.Compile(pull, rank)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	src, dst := make([]float32, nsrc), make([]float32, ndst)
	if inPlace {
		switch c {
		case schedule.ReduceScatter:
			dst = src[rank*count:][:count]
		case schedule.AllGather:
			src = dst[rank*count:][:count]
		default:
			src = dst
		}
	}
	r.expose(src, dst)
	s, err1 := r.trs[rank].Register(mem.Of(src))
	d, err2 := r.trs[rank].Register(mem.Of(dst))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	defer d.Close()
	defer s.Close()
	kernel, _ := reduce.Sum.Kernel(reduce.Float32)
	for i := range times {
		copy(src, orderSensitive(rank*1000+i, nsrc))
		j := &pipeline.Job{Program: p1, Pull: p2, Seq: uint32(i), Elem: 4, Count: count, Kernel: kernel,
			Src: s, Dst: d, SrcShared: s, DstShared: d, InPlace: inPlace}
		j.Stamp[0] = byte(i)
		if err := r.runners[rank].Run(ctx, j); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
		if want := expected(c, r.ranks, rank, push.Root, count, i); !slices.Equal(dst, want) {
			for k := range want {
				if dst[k] != want[k] {
					return fmt.Errorf("run %d: element %d is %g, want %g", i, k, dst[k], want[k])
				}
			}
		}
	}
	return nil
}

// expose lets the stand-in for the kernel copy from these buffers.
func (r *teamRig) expose(buffers ...[]float32) {
	r.k.mu.Lock()
	defer r.k.mu.Unlock()
	for _, b := range buffers {
		if m := mem.Of(b); m.Len() > len(r.k.private[addressOf(b)]) {
			r.k.private[addressOf(b)] = m.Bytes()
		}
	}
}

func addressOf(b []float32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// expected is the result on rank, by the definition of the collective and of the
// order of additions.
func expected(c schedule.Collective, ranks, rank, root, count, i int) []float32 {
	nsrc, ndst := buffersOf(c, ranks, count)
	data := make([][]float32, ranks)
	for r := range data {
		data[r] = orderSensitive(r*1000+i, nsrc)
	}
	want := make([]float32, ndst)
	switch c {
	case schedule.AllGather:
		for r := range data {
			copy(want[r*count:], data[r])
		}
	case schedule.Broadcast:
		copy(want, data[root])
	default:
		skip := 0
		if c == schedule.ReduceScatter {
			skip = rank * count
		}
		for k := range want {
			want[k] = data[0][skip+k]
			for r := 1; r < ranks; r++ {
				want[k] += data[r][skip+k]
			}
		}
	}
	return want
}

// TestShared: every collective, on every mix of shared and private buffers, is
// the sum in rank order, bit by bit.
func TestShared(t *testing.T) {
	leak.Check(t)
	mixes := map[string]struct {
		hide  func(rank int) bool
		fetch bool
	}{
		"shared":  {func(int) bool { return false }, false},
		"private": {func(int) bool { return true }, false},
		"mixed":   {func(rank int) bool { return rank%2 == 0 }, false},
		"fetched": {func(int) bool { return true }, true},
		"some":    {func(rank int) bool { return rank == 1 }, true},
	}
	for name, mix := range mixes {
		for _, ranks := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%s/P=%d", name, ranks), func(t *testing.T) {
				cfg := pipeline.Config{StageBlock: 4096, FetchMin: 1 << 10, FetchMax: 1 << 30, FetchAlways: true}
				r := newTeamRig(t, ranks, mix.hide, mix.fetch, cfg)
				for _, c := range []schedule.Collective{schedule.AllReduce, schedule.ReduceScatter, schedule.AllGather, schedule.Broadcast} {
					for _, count := range []int{0, 1, 5, 13, 1000, 1025, 4099, 20011} {
						r.run(c, ranks-1, count, 3, true)
						r.run(c, 0, count, 3, false)
					}
				}
				if mix.fetch && ranks > 2 && r.k.copied == 0 {
					t.Error("nothing was fetched")
				}
			})
		}
	}
}
