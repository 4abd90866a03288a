package tcp

import (
	"testing"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// TestCloseWithUnreadInput: a rank that closes before it has read what its peer
// sent still delivers what it sent itself.
func TestCloseWithUnreadInput(t *testing.T) {
	leak.Check(t)
	trs := config(Config{Listen: "127.0.0.1"}).Open(t, 2)
	a, b := connect(t, trs[0], trs[1])
	send := func(tr transport.Transport, c transport.Conn, n int) {
		t.Helper()
		r, err := tr.Register(mem.Bytes(make([]byte, n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.PostSend(transport.Request{Region: r, Len: n}); err != nil {
			t.Fatal(err)
		}
		if c := next(t, tr); c.Err != nil {
			t.Fatal(c.Err)
		}
	}
	send(trs[1], b, 100) // never received
	const n = 50_000
	send(trs[0], a, n)
	if err := trs[0].Close(); err != nil {
		t.Fatal(err)
	}
	r, err := trs[1].Register(mem.Bytes(make([]byte, n)))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.PostRecv(transport.Request{Region: r, Len: n}); err != nil {
		t.Fatal(err)
	}
	if c := next(t, trs[1]); c.Err != nil || c.N != n {
		t.Fatalf("got %d bytes, %v", c.N, c.Err)
	}
	trs[1].Close()
}

func TestClosedTransportTakesNothing(t *testing.T) {
	leak.Check(t)
	tr := config(Config{Listen: "127.0.0.1"}).Open(t, 1)[0]
	tr.Close()
	if _, err := tr.Listen(t.Context()); err == nil {
		t.Error("a closed transport listens")
	}
}

// connect opens one connection from a to b and returns both ends.
func connect(t *testing.T, a, b transport.Transport) (near, far transport.Conn) {
	t.Helper()
	l, err := b.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan transport.Conn, 1)
	go func() {
		c, _ := l.Accept(t.Context())
		accepted <- c
	}()
	near, err = a.Dial(t.Context(), l.Addr(), transport.Peer{Rank: 1})
	if err != nil {
		t.Fatal(err)
	}
	return near, <-accepted
}

// next waits for one completion.
func next(t *testing.T, tr transport.Transport) transport.Completion {
	t.Helper()
	var done [1]transport.Completion
	for {
		if n, err := tr.Poll(done[:]); n == 1 || err != nil {
			return done[0]
		}
		if err := tr.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
