package stream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
)

// lookFor is how long Wait looks, giving way to other processes in between,
// before it sleeps. A wake-up from sleep costs about a tenth of it.
const lookFor = 50 * time.Microsecond

// waiter puts the owner to sleep in poll(2). A pipe wakes it.
type waiter struct {
	mu      sync.Mutex // guards the pipe against close
	closed  bool
	pipe    [2]int
	asleep  atomic.Bool
	sleep   sync.Mutex // held during poll(2): close waits for it
	fds     []unix.PollFd
	follow  Follower // wakes the waiter
	drained [16]byte
}

func (w *waiter) open() error {
	if err := unix.Pipe(w.pipe[:]); err != nil {
		return err
	}
	for _, fd := range w.pipe {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return err
		}
	}
	return nil
}

func (w *waiter) wake() {
	if !w.asleep.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		unix.Write(w.pipe[1], []byte{0}) // a full pipe wakes as well
	}
}

func (w *waiter) close() {
	w.sleep.Lock()
	defer w.sleep.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.follow.Forget()
	unix.Close(w.pipe[0])
	unix.Close(w.pipe[1])
}

// patient is how often Wait looks before it gives way for the first time, where
// every rank may have a processor of its own; lookUp is how many looks pass
// between two at the clock.
const (
	patient = 30
	lookUp  = 8
)

// Wait looks for lookFor and then sleeps.
func (t *Transport) Wait(ctx context.Context) error {
	var start time.Time
	for n := 1; ; n++ {
		if t.woken.Load() && t.woken.Swap(false) {
			return ctx.Err()
		}
		ready, closed := t.look()
		if ready {
			return nil
		}
		if closed {
			return t.OpError("wait", -1, transport.ErrClosed)
		}
		if n%lookUp == 0 {
			if start.IsZero() {
				start = time.Now()
			} else if time.Since(start) > lookFor {
				break
			}
		}
		if t.crowded || n > patient {
			Yield()
		}
	}
	return t.doze(ctx)
}

// look makes progress and says whether there is something to poll.
func (t *Transport) look() (ready, closed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.progress()
	}
	return t.head < len(t.done), t.closed
}

// doze sleeps until a descriptor is ready, Wake, or the end of ctx.
func (t *Transport) doze(ctx context.Context) error {
	w := &t.waiter
	w.sleep.Lock()
	defer w.sleep.Unlock()
	if w.closed {
		return t.OpError("wait", -1, transport.ErrClosed)
	}
	w.follow.Follow(ctx)
	t.listDescriptors()
	w.asleep.Store(true)
	defer w.asleep.Store(false)
	if ctx.Err() != nil || t.woken.Load() {
		t.woken.Store(false)
		return ctx.Err()
	}
	if _, err := unix.Poll(w.fds, -1); err != nil && err != unix.EINTR {
		return t.OpError("wait", -1, err)
	}
	if w.fds[0].Revents != 0 {
		for n := len(w.drained); n == len(w.drained); {
			n, _ = unix.Read(w.pipe[0], w.drained[:])
		}
		t.woken.Store(false)
	}
	return ctx.Err()
}

// Follower calls Wake at the end of a context. It keeps the last registration: a
// caller that passes the same context again pays nothing. One goroutine uses it at a
// time.
type Follower struct {
	Wake   func()
	ends   <-chan struct{} // the Done of the context that is followed
	forget func() bool
}

// Follow follows ctx, and no other from now on.
func (f *Follower) Follow(ctx context.Context) {
	if ctx.Done() == f.ends || ctx.Done() == nil {
		return
	}
	f.Forget()
	f.ends, f.forget = ctx.Done(), context.AfterFunc(ctx, f.Wake)
}

// Forget follows nothing any more.
func (f *Follower) Forget() {
	if f.forget != nil {
		f.forget()
	}
	f.ends, f.forget = nil, nil
}

// listDescriptors names the sockets and what is wanted of each.
func (t *Transport) listDescriptors() {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &t.waiter
	w.fds = append(w.fds[:0], unix.PollFd{Fd: int32(w.pipe[0]), Events: unix.POLLIN})
	for _, c := range t.conns {
		var events int16
		if c.recvs.n > 0 {
			events |= unix.POLLIN
		}
		if c.sends.n > 0 {
			events |= unix.POLLOUT
		}
		if events != 0 && c.fd >= 0 {
			w.fds = append(w.fds, unix.PollFd{Fd: int32(c.fd), Events: events})
		}
	}
}
