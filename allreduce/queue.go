package allreduce

import (
	"context"
	"sync"
	"sync/atomic"
)

// queue keeps the order of the calls. A blocking call that finds it idle runs in
// its own goroutine; what is started behind it runs in one goroutine that ends
// when the queue is empty.
type queue struct {
	state   atomic.Int32
	mu      sync.Mutex // guards waiting, and the way from idle to queued and back
	waiting []*Pending
}

// The states of a queue. A blocking call takes an idle queue and gives it back
// with one atomic operation each.
const (
	idle   = iota
	taken  // a blocking call runs, and nothing waits behind it
	queued // something runs, and more may wait
)

// Pending is a collective that was started.
type Pending struct {
	ctx     context.Context
	request Request
	barrier bool
	done    chan struct{}
	err     error
}

// Start queues a collective and returns at once. It runs in the order of the
// calls, bounded by ctx. The request's memory must stay untouched until Wait
// returned the collective's result.
func (g *Group) Start(ctx context.Context, r Request) (*Pending, error) {
	if err := g.dead(); err != nil {
		return nil, err
	}
	if _, err := g.shape(&r); err != nil {
		return nil, err
	}
	return g.enqueue(&Pending{ctx: ctx, request: r, done: make(chan struct{})}), nil
}

// Wait returns the collective's error when it has ended. If ctx ends before, Wait
// returns ctx's error and the collective goes on; its own context is Start's.
func (p *Pending) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	default:
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done is closed when the collective has ended.
func (p *Pending) Done() <-chan struct{} { return p.done }

func (g *Group) enqueue(p *Pending) *Pending {
	q := &g.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, p)
	for {
		switch {
		case q.state.CompareAndSwap(idle, queued):
			go g.drive()
			return p
		case q.state.CompareAndSwap(taken, queued), q.state.Load() == queued:
			return p
		}
	}
}

// drive runs what is queued until nothing is.
func (g *Group) drive() {
	for p := g.queue.next(); p != nil; p = g.queue.next() {
		p.err = g.run(p.ctx, &p.request, p.barrier)
		close(p.done)
	}
}

// next takes the oldest entry. On an empty queue it marks the queue idle.
func (q *queue) next() *Pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.state.Store(idle)
		return nil
	}
	p := q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return p
}

// claim takes an idle queue for a blocking call.
func (q *queue) claim() bool { return q.state.CompareAndSwap(idle, taken) }

// unclaim gives the queue back, to a goroutine if something was started since.
func (g *Group) unclaim() {
	if !g.queue.state.CompareAndSwap(taken, idle) {
		go g.drive()
	}
}

// Do runs a collective on untyped memory and waits for its end.
func (g *Group) Do(ctx context.Context, r Request) error { return g.do(ctx, r, false) }

// Barrier returns when every rank has called it.
func (g *Group) Barrier(ctx context.Context) error {
	return g.do(ctx, barrierRequest(g), true)
}

func (g *Group) do(ctx context.Context, r Request, barrier bool) error {
	if g.queue.claim() {
		defer g.unclaim()
		return g.run(ctx, &r, barrier)
	}
	p := g.enqueue(&Pending{ctx: ctx, request: r, barrier: barrier, done: make(chan struct{})})
	select {
	case <-p.done: // run honours ctx
	case <-ctx.Done(): // it may not even have begun
		g.settle(g.explain(ctx.Err()))
		<-p.done
	}
	return p.err
}
