package allreduce

import (
	"context"
	"sync"
)

// queue keeps the order of the calls. A blocking call that finds it idle runs in
// its own goroutine; what is started behind it runs in one goroutine that ends
// when the queue is empty.
type queue struct {
	mu      sync.Mutex
	busy    bool
	waiting []*Pending
}

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
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	g.queue.waiting = append(g.queue.waiting, p)
	if !g.queue.busy {
		g.queue.busy = true
		go g.drive()
	}
	return p
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
		q.busy = false
		return nil
	}
	p := q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return p
}

// claim takes an idle queue for a blocking call.
func (q *queue) claim() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		return false
	}
	q.busy = true
	return true
}

// unclaim gives the queue back, to a goroutine if something was started since.
func (g *Group) unclaim() {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	if len(g.queue.waiting) > 0 {
		go g.drive()
		return
	}
	g.queue.busy = false
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
