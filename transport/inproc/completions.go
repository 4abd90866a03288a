package inproc

import (
	"sync"
	"sync/atomic"

	"github.com/ringo-ccl/ringo/transport"
)

// finished is a request on its way to Poll.
type finished struct {
	transport.Completion
	conn *Conn
	half half
}

// completions is a Transport's queue of finished requests. Any rank pushes; the
// owner takes.
type completions struct {
	mu    sync.Mutex
	queue ring[finished]
	ready atomic.Int64  // the queue's length, to be read without the lock
	wake  chan struct{} // holds a token when a sleeper should look again
}

func (c *completions) push(f finished) {
	c.mu.Lock()
	c.queue.push(f)
	c.ready.Store(int64(c.queue.len()))
	c.mu.Unlock()
	c.signal()
}

// signal makes a sleeper look again.
func (c *completions) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take moves the oldest completions into done and gives their places in the
// connections' queues free. Only the owner calls it.
func (c *completions) take(done []transport.Completion) int {
	if c.ready.Load() == 0 {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(done), c.queue.len())
	for i := range n {
		f := c.queue.pop()
		f.conn.held[f.half]--
		done[i] = f.Completion
	}
	c.ready.Store(int64(c.queue.len()))
	return n
}
