// Package rendezvoustest holds the tests that every rendezvous.Store passes.
package rendezvoustest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/rendezvous"
)

// Open makes an empty store for one test and returns what makes clients of it.
// What the store needs beside its clients is released by t.Cleanup.
//
// Clients that have a method Drop, which ends them as a killed process would
// end, are tested for their wills too.
type Open func(t *testing.T) (newClient func() rendezvous.Store)

// patience is what no test needs unless it fails.
const patience = 10 * time.Second

// tests are the sentences of the contract.
var tests = []struct {
	name string
	run  func(*suite)
}{
	{"FirstPutWins", firstPutWins},
	{"ConcurrentPutsHaveOneWinner", concurrentPuts},
	{"ValuesAreCopies", valuesAreCopies},
	{"GetWaits", getWaits},
	{"GetHonoursContext", getHonoursContext},
	{"ManyGetsWait", manyGetsWait},
	{"CallsHonourContext", callsHonourContext},
	{"List", list},
	{"AnyBytesAreAKey", anyBytes},
	{"LargestValue", largestValue},
	{"TooLargeIsRefused", tooLarge},
	{"CloseEndsCalls", closeEndsCalls},
	{"WillOfTheDead", willOfTheDead},
	{"NoWillOfTheClosed", noWillOfTheClosed},
}

// Run runs the conformance tests, each with a store of its own from open, and
// checks after each that no goroutine of the store is left.
func Run(t *testing.T, open Open) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Cleanup(func() { noGoroutineLeft(t) }) // after open's own cleanup
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := &suite{T: t, ctx: ctx, open: open(t)}
			defer s.closeAll()
			test.run(s)
		})
	}
}

// suite is one test with its store.
type suite struct {
	*testing.T
	ctx     context.Context
	open    func() rendezvous.Store
	clients []rendezvous.Store
}

// client opens one more client, which the end of the test closes.
func (s *suite) client() rendezvous.Store {
	s.Helper()
	c := s.open()
	if c == nil {
		s.Fatal("no client")
	}
	s.clients = append(s.clients, c)
	return c
}

func (s *suite) closeAll() {
	for range 2 { // a second Close does nothing
		for _, c := range s.clients {
			if err := c.Close(); err != nil {
				s.Errorf("Close: %v", err)
			}
		}
	}
}

// put stores and expects want to be stored.
func (s *suite) put(c rendezvous.Store, key, value, want string) {
	s.Helper()
	stored, err := c.Put(s.ctx, key, []byte(value))
	if err != nil || string(stored) != want {
		s.Fatalf("Put(%.20q, %.20q) = %.20q, %v; want %.20q", key, value, stored, err, want)
	}
}

// get expects want under key.
func (s *suite) get(c rendezvous.Store, key, want string) {
	s.Helper()
	value, err := c.Get(s.ctx, key)
	if err != nil || string(value) != want {
		s.Fatalf("Get(%.20q) = %.20q, %v; want %.20q", key, value, err, want)
	}
}

// fails expects err to be want.
func (s *suite) fails(what string, err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// noGoroutineLeft waits for goroutines that are ending, and fails for those
// that stay.
func noGoroutineLeft(t *testing.T) {
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		var left []string
		all := string(stacks[:runtime.Stack(stacks, true)])
		for _, stack := range strings.Split(all, "\n\n")[1:] { // the first is this one
			if strings.Contains(stack, "ringo/rendezvous.(") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines left, among them\n%s", len(left), left[0])
		}
	}
}
