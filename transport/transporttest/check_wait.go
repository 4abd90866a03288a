package transporttest

import (
	"context"
	"errors"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// pause is long enough that whoever waits is asleep.
const pause = 30 * time.Millisecond

// waitFor alternates Poll and Wait, as the owner does, until done.
func (k *rank) waitFor(ctx context.Context, done func() bool) error {
	for {
		if k.poll(); done() {
			return nil
		}
		if err := k.tr.Wait(ctx); err != nil {
			return err
		}
	}
}

// sleep starts a goroutine that owns k until done or limit.
func (k *rank) sleep(limit time.Duration, done func() bool) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer close(ended) // poll may fail the test and end the goroutine
		ctx, cancel := context.WithTimeout(k.ctx, limit)
		defer cancel()
		ended <- k.waitFor(ctx, done)
	}()
	return ended
}

func checkWaitWakes(r *rig) {
	a, b := r.pair()
	src, dst := a.filled(100, 1), b.region(100)

	t := b.recv(dst, 0, 100)
	asleep := b.sleep(patience, func() bool { return t.done })
	time.Sleep(pause)
	s := a.send(src, 0, 100, 0, 0)
	if err := a.waitFor(r.ctx, func() bool { return s.done }); err != nil {
		r.Fatalf("the sender's Wait: %v", err)
	}
	if err := <-asleep; err != nil {
		r.Fatalf("the receiver slept through a message: %v", err)
	}
	b.wants(t, 100)

	// A message that arrives while nobody waits.
	t = b.recv(dst, 0, 100)
	s = a.send(src, 0, 100, 0, 0)
	for i := 0; i < 1000 && !s.done; i++ {
		a.poll()
	}
	time.Sleep(pause)
	sender := a.sleep(patience, func() bool { return s.done })
	if err := b.waitFor(r.ctx, func() bool { return t.done }); err != nil {
		r.Fatalf("a Wait after the message arrived: %v", err)
	}
	if err := <-sender; err != nil {
		r.Fatalf("the sender's Wait: %v", err)
	}
}

func checkWaitSleeps(r *rig) {
	a, b := r.pair()
	a.recv(a.region(1), 0, 1)
	b.poll()
	const idle = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(r.ctx, idle)
	defer cancel()
	before, ok := processorTime()
	returns := 0
	for ; a.tr.Wait(ctx) == nil; returns++ { // it may return early
	}
	after, _ := processorTime()
	if returns > 1000 {
		r.Errorf("a Wait for nothing returned %d times in %v", returns, idle)
	}
	if used := after - before; ok && used > idle/4 {
		r.Errorf("a Wait for nothing of %v used %v of the processor", idle, used)
	}
}

func checkWaitCancel(r *rig) {
	a, _ := r.pair()
	a.recv(a.region(1), 0, 1)
	ctx, cancel := context.WithCancel(r.ctx)
	asleep := a.sleepOn(ctx)
	time.Sleep(pause)
	cancel()
	r.returns(asleep, "Wait after its context was cancelled", context.Canceled)
	r.returns(a.sleepOn(ctx), "Wait on a cancelled context", context.Canceled)

	ctx, cancel = context.WithTimeout(r.ctx, pause)
	defer cancel()
	r.returns(a.sleepOn(ctx), "Wait with a deadline", context.DeadlineExceeded)
}

// sleepOn waits, early returns aside, until Wait fails.
func (k *rank) sleepOn(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	go func() {
		for {
			if err := k.tr.Wait(ctx); err != nil {
				ended <- err
				return
			}
		}
	}()
	return ended
}

// returns fails the test unless err arrives and is want.
func (r *rig) returns(err <-chan error, what string, want error) {
	r.Helper()
	select {
	case got := <-err:
		if !errors.Is(got, want) {
			r.Errorf("%s: got %v, want %v", what, got, want)
		}
	case <-time.After(patience):
		r.Fatalf("%s: did not return", what)
	}
}

func checkWake(r *rig) {
	a, _ := r.pair()
	a.recv(a.region(1), 0, 1)
	wait := func() <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- a.tr.Wait(r.ctx) }()
		return ended
	}
	for range 3 {
		asleep := wait()
		time.Sleep(pause)
		go a.tr.Wake()
		r.returns(asleep, "Wait that was woken", nil)

		a.tr.Wake()
		a.tr.Wake() // no more than one
		r.returns(wait(), "Wait after Wake", nil)
	}
}

func checkOneOwner(r *rig) {
	a, b := r.pair()
	stop := make(chan struct{})
	noise := make(chan struct{})
	go func() {
		defer close(noise)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				a.tr.Wake()
				b.tr.Wake()
			}
		}
	}()
	for range 20 {
		done := make(chan struct{})
		go func() { // a new owner
			defer close(done)
			src, dst := a.filled(1000, 1), b.region(1000)
			s, t := a.send(src, 0, 1000, 0, 0), b.recv(dst, 0, 1000)
			if !r.driven(patience, func() bool { return s.done && t.done }) {
				r.Errorf("a new owner's message did not arrive")
			}
		}()
		<-done
	}
	close(stop)
	<-noise

	// Close, while the owner waits.
	t := a.recv(a.region(1), 0, 1)
	asleep := a.sleep(patience, func() bool { return t.done })
	time.Sleep(pause)
	a.closed = true
	if err := a.tr.Close(); err != nil {
		r.Errorf("Close: %v", err)
	}
	if err := <-asleep; err != nil && !errors.Is(err, transport.ErrClosed) {
		r.Errorf("the owner of a closed transport: %v", err)
	}
}
