package rendezvoustest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ringo-ccl/ringo/rendezvous"
)

func firstPutWins(s *suite) {
	a, b := s.client(), s.client()
	s.put(a, "key", "first", "first")
	s.put(a, "key", "second", "first")
	s.put(b, "key", "third", "first")
	s.get(b, "key", "first")
	s.put(a, "empty", "", "")
	s.put(b, "empty", "late", "")
	s.get(b, "empty", "")
}

func concurrentPuts(s *suite) {
	const ranks = 8
	stored := make([]string, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		c := s.client()
		all.Go(func() {
			value, err := c.Put(s.ctx, "leader", fmt.Append(nil, rank))
			if err != nil {
				s.Errorf("Put of %d: %v", rank, err)
			}
			stored[rank] = string(value)
		})
	}
	all.Wait()
	for rank, value := range stored {
		if value == "" || value != stored[0] {
			s.Errorf("rank %d saw the winner %q, rank 0 saw %q", rank, value, stored[0])
		}
	}
	s.get(s.clients[0], "leader", stored[0])
}

func valuesAreCopies(s *suite) {
	c := s.client()
	value := []byte("value")
	stored, err := c.Put(s.ctx, "key", value)
	if err != nil {
		s.Fatal(err)
	}
	clear(value)
	clear(stored)
	got, err := c.Get(s.ctx, "key")
	if err != nil {
		s.Fatal(err)
	}
	clear(got)
	s.get(c, "key", "value")
}

func list(s *suite) {
	c := s.client()
	for _, key := range []string{"b/2", "b/10", "a", "b/1", "c", "b"} {
		s.put(c, key, key, key)
	}
	waiting, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var get sync.WaitGroup
	get.Go(func() { c.Get(waiting, "b/awaited") }) // a key only once it is put
	for prefix, want := range map[string][]string{
		"b/": {"b/1", "b/10", "b/2"},
		"":   {"a", "b", "b/1", "b/10", "b/2", "c"},
		"d":  {},
	} {
		got, err := s.client().List(s.ctx, prefix)
		if err != nil || !slices.Equal(got, want) {
			s.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
	cancel()
	get.Wait()
}

func anyBytes(s *suite) {
	c := s.client()
	keys := []string{".", "..", "../up", "/root", "a/b", "a//b", "a/b/", "\x00", "\xff\xfe", "%2F", "%", "+/", "grün", "A", "a",
		".put-1", strings.Repeat("/", rendezvous.MaxKey), strings.Repeat("x", rendezvous.MaxKey), strings.Repeat("x", 200) + ".."}
	for _, key := range keys {
		s.put(c, key, "value of "+key, "value of "+key)
	}
	for _, key := range keys {
		s.get(c, key, "value of "+key)
	}
	slices.Sort(keys)
	if got, err := c.List(s.ctx, ""); err != nil || !slices.Equal(got, keys) {
		s.Errorf("List = %q, %v; want %q", got, err, keys)
	}
}

func largestValue(s *suite) {
	large := strings.Repeat("0123456789abcdef", rendezvous.MaxValue/16)
	s.put(s.client(), "large", large, large)
	s.get(s.client(), "large", large)
}

func tooLarge(s *suite) {
	c := s.client()
	long := strings.Repeat("k", rendezvous.MaxKey+1)
	_, err := c.Put(s.ctx, long, nil)
	s.fails("Put with a long key", err, rendezvous.ErrTooLarge)
	_, err = c.Put(s.ctx, "key", bytes.Repeat([]byte{1}, rendezvous.MaxValue+1))
	s.fails("Put of a large value", err, rendezvous.ErrTooLarge)
	_, err = c.Get(s.ctx, long)
	s.fails("Get with a long key", err, rendezvous.ErrTooLarge)
	_, err = c.List(s.ctx, long)
	s.fails("List with a long prefix", err, rendezvous.ErrTooLarge)
	if _, err := c.Put(s.ctx, "", nil); err == nil {
		s.Error("Put took the empty key")
	}
	if _, err := c.Get(s.ctx, ""); err == nil {
		s.Error("Get took the empty key")
	}
	s.put(c, "key", "fine", "fine") // the client still works
}
