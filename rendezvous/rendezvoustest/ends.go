package rendezvoustest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ringo-ccl/ringo/rendezvous"
)

func getWaits(s *suite) {
	a, b := s.client(), s.client()
	got := make(chan string, 1)
	go func() {
		value, err := a.Get(s.ctx, "late")
		got <- fmt.Sprint(string(value), err)
	}()
	s.put(a, "early", "1", "1") // the same client works while its Get waits
	s.put(b, "late", "value", "value")
	if v := <-got; v != "value<nil>" {
		s.Errorf("Get = %s", v)
	}
}

func getHonoursContext(s *suite) {
	c := s.client()
	ctx, cancel := context.WithCancelCause(s.ctx)
	got := make(chan error, 1)
	go func() {
		_, err := c.Get(ctx, "never")
		got <- err
	}()
	s.put(c, "early", "1", "1")
	cancel(errors.New("enough"))
	s.fails("Get", <-got, context.Canceled)
	s.put(c, "never", "after all", "after all")
	s.get(c, "never", "after all")
}

func manyGetsWait(s *suite) {
	// More in a row than any store lets wait at once: ended ones must not count.
	c := s.client()
	for i := range 200 {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		if _, err := c.Get(ctx, fmt.Sprint("never", i)); !errors.Is(err, context.Canceled) {
			s.Fatalf("Get %d: %v", i, err)
		}
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			if value, err := c.Get(s.ctx, fmt.Sprint("key", i)); err != nil || string(value) != fmt.Sprint(i) {
				s.Errorf("Get %d = %q, %v", i, value, err)
			}
		})
	}
	for i := range 100 {
		s.put(c, fmt.Sprint("key", i), fmt.Sprint(i), fmt.Sprint(i))
	}
	all.Wait()
}

func callsHonourContext(s *suite) {
	c := s.client()
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, err := c.Put(ctx, "key", nil)
	s.fails("Put", err, context.Canceled)
	_, err = c.List(ctx, "")
	s.fails("List", err, context.Canceled)
}

func closeEndsCalls(s *suite) {
	c, other := s.client(), s.client()
	got := make(chan error, 1)
	go func() {
		_, err := c.Get(s.ctx, "never")
		got <- err
	}()
	s.put(c, "early", "1", "1")
	if err := c.Close(); err != nil {
		s.Errorf("Close: %v", err)
	}
	s.fails("a Get that waited", <-got, rendezvous.ErrClosed)
	_, err := c.Get(s.ctx, "early")
	s.fails("Get", err, rendezvous.ErrClosed)
	_, err = c.Put(s.ctx, "key", nil)
	s.fails("Put", err, rendezvous.ErrClosed)
	_, err = c.List(s.ctx, "")
	s.fails("List", err, rendezvous.ErrClosed)
	s.get(other, "early", "1") // one client's end is no other's
}

// mortal clients can end without Close.
type mortal interface {
	rendezvous.Store
	Drop()
}

// mortal opens a client and leaves a will, or skips the test.
func (s *suite) mortal(key, value string) mortal {
	s.Helper()
	c := s.client()
	if err := c.Will(s.ctx, key, []byte(value)); errors.Is(err, rendezvous.ErrNoWill) {
		s.Skip(err)
	} else if err != nil {
		s.Fatal(err)
	}
	m, ok := c.(mortal)
	if !ok {
		s.Skipf("%T has no Drop by which the test could kill it", c)
	}
	return m
}

func willOfTheDead(s *suite) {
	c, heir := s.mortal("will", "draft"), s.client()
	if err := c.Will(s.ctx, "will", []byte("final")); err != nil {
		s.Fatal(err)
	}
	c.Drop()
	s.get(heir, "will", "final")
}

func noWillOfTheClosed(s *suite) {
	c, heir := s.mortal("will", "closed"), s.client()
	if err := c.Close(); err != nil {
		s.Fatal(err)
	}
	// The store learns of ends in any order, so another's death proves nothing;
	// but Close has said goodbye when it returns.
	s.put(heir, "will", "free", "free")
}
