package reduce

import (
	"errors"
	"fmt"
)

// CPU is the Engine of the calling goroutine: Submit runs the task before it
// returns, and Poll reports it, in order of submission. In steady state it does
// not allocate.
type CPU struct {
	ring   []Done // results not yet polled, from first on, wrapping around
	first  int
	count  int
	closed bool
}

var _ Engine = (*CPU)(nil)

// NewCPU makes an engine that holds up to queue results; below 1 counts as 1.
func NewCPU(queue int) *CPU { return &CPU{ring: make([]Done, max(queue, 1))} }

// Submit runs t. A panic of the kernel becomes the Err of its Done: *PanicError,
// which names the operation, when a user's operation panicked.
func (c *CPU) Submit(t Task) error {
	switch {
	case c.closed:
		return ErrClosed
	case c.count == len(c.ring):
		return ErrQueueFull
	}
	c.ring[(c.first+c.count)%len(c.ring)] = Done{ID: t.ID, Err: t.run()}
	c.count++
	return nil
}

// Poll reports finished tasks as Engine says.
func (c *CPU) Poll(done []Done) (int, error) {
	if c.closed {
		return 0, ErrClosed
	}
	n := min(len(done), c.count)
	for i := range n {
		done[i] = c.ring[c.first]
		c.ring[c.first] = Done{}
		c.first = (c.first + 1) % len(c.ring)
	}
	c.count -= n
	return n, nil
}

// Close forgets unreaped results. It returns nil.
func (c *CPU) Close() error {
	c.closed, c.ring, c.count = true, nil, 0
	return nil
}

// run runs the task and turns a panic into an error.
func (t *Task) run() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Panicked(v)
		}
	}()
	if t.Kernel == nil {
		return errors.New("reduce: task without a kernel")
	}
	t.Kernel(t.Dst, t.A, t.B)
	return nil
}

// Panicked is the error for what a kernel panicked with, as recover returns it:
// *PanicError, which names the operation, when a user's operation panicked.
func Panicked(v any) error {
	switch v := v.(type) {
	case *PanicError:
		return v
	case error:
		return fmt.Errorf("reduce: kernel panicked: %w", v)
	}
	return fmt.Errorf("reduce: kernel panicked: %v", v)
}
