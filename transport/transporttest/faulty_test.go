package transporttest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

// over joins wrapped inproc transports to the suite.
func over(wrap func(transport.Transport) transport.Transport) transporttest.Config {
	return transporttest.Config{
		Open: func(t testing.TB, ranks int) []transport.Transport {
			n := inproc.NewNetwork(inproc.Config{})
			trs := make([]transport.Transport, ranks)
			for i := range trs {
				tr, err := n.Open(context.Background(), transport.Identity{Rank: i, Ranks: ranks})
				if err != nil {
					t.Fatal(err)
				}
				trs[i] = wrap(tr)
			}
			return trs
		},
		Kill: func(tr transport.Transport) error {
			tr.(interface{ Unwrap() transport.Transport }).Unwrap().(*inproc.Transport).Kill()
			return nil
		},
	}
}

// TestFaultyKeepsContract runs the suite over the faults that are allowed to a
// transport, and over none.
func TestFaultyKeepsContract(t *testing.T) {
	for name, faults := range map[string]transporttest.Faults{
		"None":   {},
		"Unkind": {HoldPolls: 3, OneAtATime: true, SpuriousWaitEvery: 2},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, over(func(tr transport.Transport) transport.Transport {
				return transporttest.Faulty(tr, faults)
			}))
		})
	}
}

// faultyPair connects a faulty rank 0 to a sound rank 1.
func faultyPair(t *testing.T, faults transporttest.Faults) (a, b transport.Transport, ac, bc transport.Conn) {
	ctx := context.Background()
	trs := over(func(tr transport.Transport) transport.Transport { return tr }).Open(t, 2)
	a, b = transporttest.Faulty(trs[0], faults), trs[1]
	t.Cleanup(func() { a.Close(); b.Close() })
	l, err := b.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dialed := make(chan transport.Conn)
	go func() {
		c, _ := a.Dial(ctx, l.Addr(), transport.Peer{Rank: 1})
		dialed <- c
	}()
	if bc, err = l.Accept(ctx); err != nil {
		t.Fatal(err)
	}
	return a, b, <-dialed, bc
}

func TestFaultyHolds(t *testing.T) {
	a, _, ac, bc := faultyPair(t, transporttest.Faults{HoldPolls: 3, OneAtATime: true})
	for i := range 2 {
		if err := errors.Join(bc.PostRecv(transport.Request{}), ac.PostSend(transport.Request{ID: uint64(i)})); err != nil {
			t.Fatal(err)
		}
	}
	var done [4]transport.Completion
	for poll, want := range []int{0, 0, 0, 1, 1, 0} {
		n, err := a.Poll(done[:])
		if n != want || err != nil {
			t.Errorf("Poll %d returned %d, %v, want %d", poll, n, err, want)
		}
		if n == 1 && done[0].ID != uint64(poll-3) {
			t.Errorf("Poll %d returned ID %d", poll, done[0].ID)
		}
	}
}

func TestFaultyQueueFull(t *testing.T) {
	a, _, ac, _ := faultyPair(t, transporttest.Faults{QueueFullEvery: 3})
	for post := 1; post <= 9; post++ {
		err := ac.PostSend(transport.Request{})
		if full := errors.Is(err, transport.ErrQueueFull); full != (post%3 == 0) {
			t.Errorf("post %d: %v", post, err)
		}
	}
	if err := a.Wait(context.Background()); err != nil {
		t.Errorf("Wait after a full queue: %v", err)
	}
}

func TestFaultyLosesPeer(t *testing.T) {
	a, b, ac, bc := faultyPair(t, transporttest.Faults{LosePeerAt: 2})
	m, err := a.Register(mem.Bytes(make([]byte, 8)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := ac.PostRecv(transport.Request{Region: m, Len: 8, ID: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := bc.PostSend(transport.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	var done [8]transport.Completion
	for i := 0; i < 3; {
		n, err := a.Poll(done[:])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range done[:n] {
			if lost := errors.Is(c.Err, transport.ErrPeerLost); lost != (i > 0) || c.ID != uint64(i) {
				t.Errorf("completion %d: %+v", i, c)
			}
			i++
		}
	}
	if err := ac.PostSend(transport.Request{}); !errors.Is(err, transport.ErrPeerLost) {
		t.Errorf("post on a lost connection: %v", err)
	}
	if err := bc.PostSend(transport.Request{}); !errors.Is(err, transport.ErrPeerClosed) {
		t.Errorf("the peer's post: %v", err)
	}
	if _, err := b.Poll(done[:]); err != nil {
		t.Error(err)
	}
}
