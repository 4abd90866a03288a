package inproc_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// The wire of the tests below: 1 ms and 1 byte per ns.
var wire = inproc.Config{Latency: time.Millisecond, Bandwidth: 1e9}

// end is one end of a connection with memory of its own.
type end struct {
	t      *testing.T
	tr     transport.Transport
	conn   transport.Conn
	b      []byte
	region transport.MemoryRegion
}

// connect joins two ranks of a Network.
func connect(t *testing.T, cfg inproc.Config, bytes int) (a, b *end) {
	trs := open(t, cfg, 2)
	ends := [2]*end{}
	for i, tr := range trs {
		ends[i] = &end{t: t, tr: tr, b: make([]byte, bytes)}
		var err error
		if ends[i].region, err = tr.Register(mem.Bytes(ends[i].b)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.Close() })
	}
	a, b = ends[0], ends[1]
	ctx := context.Background()
	l, err := b.tr.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dialed := make(chan transport.Conn)
	go func() {
		c, _ := a.tr.Dial(ctx, l.Addr(), transport.Peer{Rank: 1})
		dialed <- c
	}()
	if b.conn, err = l.Accept(ctx); err != nil {
		t.Fatal(err)
	}
	a.conn = <-dialed
	return a, b
}

// request is n bytes at off.
func (e *end) request(off, n int) transport.Request {
	return transport.Request{Region: e.region, Off: off, Len: n, ID: uint64(off)}
}

// post fails the test if an operation's post did.
func (e *end) post(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// finish waits for n completions and returns when each was there.
func (e *end) finish(n int) (at []time.Time) {
	var done [8]transport.Completion
	for len(at) < n {
		k, err := e.tr.Poll(done[:])
		for _, c := range done[:k] {
			err = errors.Join(err, c.Err)
			at = append(at, time.Now())
		}
		if err == nil && k == 0 {
			err = e.tr.Wait(context.Background())
		}
		if err != nil {
			e.t.Error(err)
			return at
		}
	}
	return at
}

// together runs both ends until each has n completions, and returns when they
// came, relative to start.
func together(a, b *end, n int, start time.Time) (atA, atB []time.Duration) {
	var wg sync.WaitGroup
	since := func(e *end, out *[]time.Duration) {
		for _, at := range e.finish(n) {
			*out = append(*out, at.Sub(start))
		}
	}
	wg.Go(func() { since(a, &atA) })
	wg.Go(func() { since(b, &atB) })
	wg.Wait()
	return atA, atB
}

// pass lets virtual time pass.
func pass(d time.Duration) { time.Sleep(d) }

func same(t *testing.T, what string, got []time.Duration, want ...time.Duration) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%s: completions after %v, want %v", what, got, want)
			return
		}
	}
}

func TestModelOneWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1 << 20
		a, b := connect(t, wire, 2*n)
		copy(a.b, bytes.Repeat([]byte("ringo"), n/4))
		start := time.Now()
		a.post(a.conn.PostSend(a.request(0, n)))
		a.post(a.conn.PostSend(a.request(n, n)))
		b.post(b.conn.PostRecv(b.request(0, n)))
		b.post(b.conn.PostRecv(b.request(n, n)))
		atA, atB := together(a, b, 2, start)
		// The second message leaves when the first has; latencies overlap.
		same(t, "sender", atA, n+time.Millisecond, 2*n+time.Millisecond)
		same(t, "receiver", atB, n+time.Millisecond, 2*n+time.Millisecond)
		if !bytes.Equal(a.b, b.b) {
			t.Error("the bytes differ")
		}
	})
}

func TestModelFullDuplex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1 << 20
		a, b := connect(t, wire, 2*n)
		start := time.Now()
		for _, e := range []*end{a, b} {
			e.post(e.conn.PostRecv(e.request(n, n)))
			e.post(e.conn.PostSend(e.request(0, n)))
		}
		atA, atB := together(a, b, 2, start)
		same(t, "rank 0", atA, n+time.Millisecond, n+time.Millisecond)
		same(t, "rank 1", atB, n+time.Millisecond, n+time.Millisecond)
	})
}

func TestModelLateReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := connect(t, wire, 1000)
		start := time.Now()
		a.post(a.conn.PostSend(a.request(0, 1000)))
		pass(time.Second)
		b.post(b.conn.PostRecv(b.request(0, 1000)))
		atA, atB := together(a, b, 1, start)
		same(t, "sender", atA, time.Second)
		same(t, "receiver", atB, time.Second)
	})
}

// TestModelIdleWire sends again after the wire was idle: it owes nothing for
// the time before.
func TestModelIdleWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := connect(t, wire, 1000)
		for range 3 {
			start := time.Now()
			b.post(b.conn.PostRecv(b.request(0, 1000)))
			a.post(a.conn.PostSend(a.request(0, 1000)))
			_, atB := together(a, b, 1, start)
			same(t, "receiver", atB, time.Microsecond+time.Millisecond)
			pass(time.Hour)
		}
	})
}

// TestModelSleeper has one end asleep before the other posts and goes away.
func TestModelSleeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		a, b := connect(t, wire, n)
		for i, v := range []struct {
			asleep, gone   *end
			sleeps, leaves func(transport.Request) error
		}{
			{b, a, b.conn.PostRecv, a.conn.PostSend},
			{a, b, a.conn.PostSend, b.conn.PostRecv},
		} {
			v.asleep.post(v.sleeps(v.asleep.request(0, n)))
			woke := make(chan time.Time, 1)
			go func() { woke <- v.asleep.finish(1)[0] }()
			pass(time.Millisecond / 2)
			start := time.Now()
			v.gone.post(v.leaves(v.gone.request(0, n)))
			pass(time.Hour)
			want := time.Microsecond + time.Millisecond
			if i == 1 { // the message left before the sleep
				want -= time.Millisecond / 2
			}
			same(t, "sleeper", []time.Duration{(<-woke).Sub(start)}, want)
			v.gone.finish(1)
		}
	})
}
