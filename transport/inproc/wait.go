package inproc

import (
	"context"
	"runtime"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// looks is how often Wait looks for a completion before it sleeps. A look and
// the yield after it take some 100 ns when the processor is otherwise idle.
const looks = 200

// Poll moves finished requests into done. Matching happens as requests are
// posted, so only a modeled network leaves Poll anything else to do.
func (t *Transport) Poll(done []transport.Completion) (int, error) {
	if t.net.modeled() {
		t.progress(time.Now())
	}
	n := t.completions.take(done)
	if n == 0 && t.completions.ready.Load() == 0 && t.isClosed() {
		return 0, opError("poll", -1, transport.ErrClosed)
	}
	return n, nil
}

// Wait returns when Poll has something to return, after Wake, and when ctx or
// the transport ends.
func (t *Transport) Wait(ctx context.Context) error {
	spin := looks
	if t.net.modeled() {
		spin = 0 // a model's clock stands still while anybody runs
	}
	for {
		if done, err := t.waited(ctx); done {
			return err
		}
		if spin > 0 {
			spin--
			runtime.Gosched()
			continue
		}
		t.sleep(ctx)
	}
}

// waited reports whether Wait should return, and with what.
func (t *Transport) waited(ctx context.Context) (bool, error) {
	if t.woken.Swap(false) || t.completions.ready.Load() > 0 {
		return true, nil
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	if t.isClosed() {
		return true, opError("wait", -1, transport.ErrClosed)
	}
	return false, nil
}

// sleep returns when something may have changed.
func (t *Transport) sleep(ctx context.Context) {
	var arrival <-chan time.Time
	if at, ok := t.due(); ok {
		now := time.Now()
		if !at.After(now) {
			t.progress(now)
			return
		}
		arrival = t.alarm(at.Sub(now))
		defer t.timer.Stop()
	}
	select {
	case <-t.completions.wake:
	case <-arrival:
	case <-ctx.Done():
	}
}

// alarm sets the timer and returns its channel.
func (t *Transport) alarm(d time.Duration) <-chan time.Time {
	if t.timer == nil {
		t.timer = time.NewTimer(d)
	} else {
		t.timer.Reset(d)
	}
	return t.timer.C
}

// progress receives what has arrived by now on all connections.
func (t *Transport) progress(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		c.link.progress(now)
	}
}

// due is the earliest arrival that somebody waits for on any connection.
func (t *Transport) due() (at time.Time, ok bool) {
	if !t.net.modeled() {
		return time.Time{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		if d, some := c.link.due(); some && (!ok || d.Before(at)) {
			at, ok = d, true
		}
	}
	return at, ok
}
