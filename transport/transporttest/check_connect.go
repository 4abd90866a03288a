package transporttest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

func checkLanes(r *rig) {
	ranks := r.open(2)
	var out, in []*line
	add := func(from, to *rank, lane int) {
		d, a := r.connect(from, to, lane)
		equal(r, "the dialer's Peer", d.conn.Peer(), transport.Peer{Rank: to.n, Lane: lane})
		equal(r, "the acceptor's Peer", a.conn.Peer(), transport.Peer{Rank: from.n, Lane: lane})
		out, in = append(out, d), append(in, a)
	}
	add(ranks[0], ranks[1], 0)
	add(ranks[0], ranks[1], 1)
	add(ranks[0], ranks[1], 7)
	add(ranks[1], ranks[0], 0)

	// Each lane's receives are posted before any sends, which come in another
	// order and on the last lane not at all.
	var recvs, sends []*ticket
	var got []*region
	for _, l := range in {
		got = append(got, l.region(4))
		recvs = append(recvs, l.recv(got[len(got)-1], 0, 4))
	}
	for i := len(out) - 2; i >= 0; i-- {
		sends = append(sends, out[i].send(out[i].filled(4, uint64(i)), 0, 4, uint32(i), 0))
	}
	last := len(in) - 1
	r.await(append(sends, recvs[:last]...)...)
	for i := range last {
		in[i].wants(recvs[i], 4)
		equal(r, "Seq", recvs[i].got.Seq, uint32(i))
		got[i].wants("a lane's message", 0, pattern(4, uint64(i)))
	}
	if err := out[1].conn.Close(); err != nil {
		r.Errorf("close lane: %v", err)
	}
	if r.settled(); recvs[last].done {
		r.Errorf("a message nobody sent: %+v", recvs[last].got)
	}
	s := out[last].send(nil, 0, 0, 9, 0)
	r.await(s, recvs[last])
	in[last].wants(recvs[last], 0)
	out[0].exchange(in[0])
	in[2].exchange(out[2])
}

func checkAcceptCancel(r *rig) {
	ranks := r.open(2)
	l := ranks[1].listen()
	accept := func(ctx context.Context) <-chan error {
		ended := make(chan error, 1)
		go func() {
			c, err := l.Accept(ctx)
			if err == nil {
				c.Close()
			}
			ended <- err
		}()
		return ended
	}
	ctx, cancel := context.WithCancel(r.ctx)
	waiting := accept(ctx)
	time.Sleep(pause)
	cancel()
	r.returns(waiting, "Accept after its context was cancelled", context.Canceled)
	r.returns(accept(ctx), "Accept on a cancelled context", context.Canceled)

	a, b := r.connect(ranks[0], ranks[1], 0)
	a.exchange(b)

	waiting = accept(r.ctx)
	time.Sleep(pause)
	if err := l.Close(); err != nil {
		r.Errorf("close listener: %v", err)
	}
	r.returns(waiting, "Accept of a closed listener", transport.ErrClosed)
	ranks[1].listener = nil // closed already
	b.exchange(a)
}

// refused fails the test unless k cannot dial addr.
func (k *rank) refused(what, addr string, peer transport.Peer) error {
	k.Helper()
	const limit = 150 * time.Millisecond
	ctx, cancel := context.WithTimeout(k.ctx, limit)
	defer cancel()
	start := time.Now()
	c, err := k.tr.Dial(ctx, addr, peer)
	if took := time.Since(start); took > limit+patience/4 {
		k.Errorf("%s: Dial took %v of %v", what, took, limit)
	}
	if err == nil {
		c.Close()
		k.Errorf("%s: Dial succeeded", what)
		return nil
	}
	var op *transport.OpError
	if !errors.As(err, &op) || op.Peer != peer.Rank {
		k.Errorf("%s: got error %v (%T), want an *OpError with peer %d", what, err, err, peer.Rank)
	}
	return err
}

func checkDialRefused(r *rig) {
	ranks := r.open(2)
	l := ranks[1].listen()
	addr := l.Addr()
	silent := ranks[0].refused("nobody accepts", addr, transport.Peer{Rank: 1})
	if err := l.Close(); err != nil {
		r.Fatal(err)
	}
	ranks[1].listener = nil // closed already
	deaf := ranks[0].refused("nobody listens", addr, transport.Peer{Rank: 1})
	for _, err := range []error{silent, deaf} {
		if err != nil && !strings.Contains(err.Error(), addr) {
			r.Errorf("error %q does not name %s", err, addr)
		}
	}
}

func checkStrangers(r *rig) {
	ranks, others := r.open(3), r.open(3)
	l := ranks[1].listen()
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	accepted := make(chan error, 1)
	go func() {
		c, err := l.Accept(ctx)
		if err == nil {
			r.Errorf("accepted %+v", c.Peer())
			c.Close()
		}
		accepted <- err
	}()
	others[0].refused("a rank of another job", l.Addr(), transport.Peer{Rank: 1})
	others[1].refused("the same rank of another job", l.Addr(), transport.Peer{Rank: 1})
	ranks[0].refused("the wrong rank", l.Addr(), transport.Peer{Rank: 2})
	cancel()
	r.returns(accepted, "Accept, with only strangers", context.Canceled)
	a, b := r.connect(ranks[0], ranks[1], 0)
	a.exchange(b)
}

// checkNoLeak leaves all kinds of things unfinished; the rig looks for leaks
// after each subtest.
func checkNoLeak(r *rig) {
	for i := range 3 {
		ranks := r.open(3)
		a, b := r.connect(ranks[0], ranks[1], 0)
		c, _ := r.connect(ranks[2], ranks[1], i)
		a.exchange(b)
		b.recv(b.region(10), 0, 10)
		c.send(c.filled(1<<20, 1), 0, 1<<20, 0, 0)
		ranks[2].refused("nobody accepts", ranks[0].listen().Addr(), transport.Peer{Rank: 0})
		if i == 1 {
			ranks[1].close()
		}
		if i == 2 && r.cfg.Kill != nil {
			ranks[1].kill()
		}
	}
}
