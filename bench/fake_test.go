package bench

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
)

// fakeWorld is a group in memory: the last rank to arrive does everybody's work.
type fakeWorld struct {
	mu      sync.Mutex
	arrived *sync.Cond
	ranks   int
	waiting []allreduce.Request // by rank, of the running call
	count   int
	round   int
	err     error
	lazy    bool // calls leave Dst as it is
	// spoil may change what a call left in a rank's Dst.
	spoil func(round, rank int, r allreduce.Request)
}

func newFakeWorld(ranks int) *fakeWorld {
	w := &fakeWorld{ranks: ranks, waiting: make([]allreduce.Request, ranks)}
	w.arrived = sync.NewCond(&w.mu)
	return w
}

// run calls f as every rank.
func (w *fakeWorld) run(t *testing.T, f func(g Group) error) {
	t.Helper()
	errs := make([]error, w.ranks)
	var all sync.WaitGroup
	for rank := range w.ranks {
		all.Go(func() { errs[rank] = f(fakeGroup{w, rank}) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

type fakeGroup struct {
	*fakeWorld
	rank int
}

func (g fakeGroup) Algorithm(allreduce.Request) string { return "fake" }
func (g fakeGroup) Rank() int                          { return g.rank }
func (g fakeGroup) Size() int                          { return g.ranks }
func (g fakeGroup) Alloc(n int) (Buffer, error)        { return mem.Alloc(n) }
func (g fakeGroup) Barrier(ctx context.Context) error  { return g.Do(ctx, allreduce.Request{}) }
func (g fakeGroup) Do(_ context.Context, r allreduce.Request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	round := g.round
	g.waiting[g.rank] = r
	if g.count++; g.count == g.ranks {
		g.err = g.perform()
		g.count = 0
		g.round++
		g.arrived.Broadcast()
	}
	for g.round == round {
		g.arrived.Wait()
	}
	return g.err
}

// perform carries out the call that all ranks wait in.
func (w *fakeWorld) perform() error {
	first := w.waiting[0]
	var result []byte
	switch first.Collective {
	case 0: // a barrier
		return nil
	case schedule.Broadcast:
		result = append(result, w.waiting[first.Root].Src.Bytes()...)
	case schedule.AllGather:
		for _, r := range w.waiting {
			result = append(result, r.Src.Bytes()...)
		}
	default:
		kernel, err := reduce.Reference(first.Op, first.Type)
		if err != nil {
			return err
		}
		result = append(result, first.Src.Bytes()...)
		for _, r := range w.waiting[1:] {
			kernel(result, result, r.Src.Bytes())
		}
		if finish := first.Op.Finish(first.Type); finish != nil {
			finish(result, w.ranks)
		}
	}
	for rank, r := range w.waiting {
		part := result
		if r.Collective == schedule.ReduceScatter {
			part = result[rank*r.Dst.Len():]
		}
		if !w.lazy || r.Type == reduce.Int64 || r.Type == reduce.Float64 { // those two carry findings and times
			copy(r.Dst.Bytes(), part)
		}
		if w.spoil != nil {
			w.spoil(w.round, rank, r)
		}
	}
	return nil
}
