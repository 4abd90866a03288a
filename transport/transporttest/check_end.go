package transporttest

import (
	"errors"
	"slices"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// burden is what an end of a connection has outstanding when it ends: receives
// that nobody sends to, and large sends that nobody receives.
type burden struct {
	recvs, sends []*ticket
}

func load(l *line) burden {
	const size = 128 << 10
	var w burden
	m := l.filled(size, 1)
	for range 3 {
		w.recvs = append(w.recvs, l.recv(nil, 0, 0))
		w.sends = append(w.sends, l.send(m, 0, size, 0, 0))
	}
	return w
}

// done reports whether everything has completed.
func (w burden) done() bool {
	for _, t := range slices.Concat(w.recvs, w.sends) {
		if !t.done {
			return false
		}
	}
	return true
}

// wants checks that the receives failed with cause, and the sends too unless
// they had left.
func (w burden) wants(r *rig, cause error) {
	r.Helper()
	for _, t := range w.recvs {
		r.wants(t.got.Err, cause)
	}
	for _, t := range w.sends {
		if t.got.Err != nil {
			r.wants(t.got.Err, cause)
		}
	}
}

func checkCloseUnblocks(r *rig) {
	for _, wholeTransport := range []bool{false, true} {
		for _, peerLoaded := range []bool{false, true} {
			checkClose(r, wholeTransport, peerLoaded)
		}
	}
	checkCloseBothReceive(r)
}

// checkClose closes a connection or its transport while one end has much to do.
func checkClose(r *rig, wholeTransport, peerLoaded bool) {
	a, b := r.pair()
	loaded, cause := a, transport.ErrClosed
	if peerLoaded {
		loaded, cause = b, transport.ErrPeerClosed
	}
	w := load(loaded)
	end := a.conn.Close
	if wholeTransport {
		a.closed, end = true, a.tr.Close
	}
	if err := end(); err != nil {
		r.Errorf("close: %v", err)
	}
	r.drive(patience, w.done)
	w.wants(r, cause)
	r.settled()
	a.dead(a.trySend, transport.ErrClosed)
	a.dead(a.tryRecv, transport.ErrClosed)
	b.dead(b.tryRecv, transport.ErrPeerClosed)
	b.dead(b.trySend, transport.ErrPeerClosed)
	if err := b.conn.Close(); err != nil {
		r.Errorf("close a connection that the peer has closed: %v", err)
	}
}

// checkCloseBothReceive closes a connection while both ends wait to receive, one
// of them asleep.
func checkCloseBothReceive(r *rig) {
	a, b := r.pair()
	here := []*ticket{a.recv(nil, 0, 0), a.recv(a.region(9), 0, 9)}
	there := []*ticket{b.recv(nil, 0, 0), b.recv(b.region(9), 0, 9)}
	asleep := b.sleep(patience, func() bool { return there[0].done && there[1].done })
	time.Sleep(pause)
	if err := a.conn.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if err := a.waitFor(r.ctx, func() bool { return here[0].done && here[1].done }); err != nil {
		r.Errorf("wait for the requests of a closed connection: %v", err)
	}
	if err := <-asleep; err != nil {
		r.Fatalf("the peer of a closed connection slept on: %v%s", err, r.outstanding())
	}
	for i := range here {
		r.wants(here[i].got.Err, transport.ErrClosed)
		r.wants(there[i].got.Err, transport.ErrPeerClosed)
	}
	if err := a.conn.Close(); err != nil {
		r.Errorf("close again: %v", err)
	}
}

// settled gives requests that completed a chance to complete again, which poll
// would notice.
func (r *rig) settled() {
	r.Helper()
	r.driven(2*time.Millisecond, func() bool { return false })
}

func checkCloseDelivers(r *rig) {
	const size = 10000
	a, b := r.pair()
	src, dst := a.filled(size, 1), b.region(2*size)
	t := b.recv(dst, 0, size)
	s, late := a.send(src, 0, size, 0, 0), a.send(src, 0, size, 0, 0)
	for i := 0; i < 1000 && !late.done; i++ {
		a.poll()
	}
	r.drive(patience, func() bool { return s.done })
	if err := a.conn.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	r.await(late, t)
	b.wants(t, size)
	dst.wants("a message whose sender closed", 0, src.b)
	if late.got.Err == nil { // it left before its receive was posted
		t = b.recv(dst, size, size)
		r.await(t)
		b.wants(t, size)
		dst.wants("a message that waited when its sender closed", size, src.b)
	}
	b.dead(b.tryRecv, transport.ErrPeerClosed)
}

func checkPeerDeath(r *rig) {
	if r.cfg.Kill == nil {
		r.Skip("Config.Kill is nil: the transport cannot be killed without a goodbye")
	}
	for _, sending := range []bool{false, true} {
		a, b := r.pair()
		a.exchange(b)
		var w burden
		if sending {
			w = load(a)
		} else {
			w.recvs = append(w.recvs, a.recv(nil, 0, 0), a.recv(a.region(9), 0, 9))
		}
		asleep := a.sleep(r.cfg.PeerTimeout+patience/2, w.done)
		time.Sleep(pause)
		died := time.Now()
		b.kill()
		if err := <-asleep; err != nil && !errors.Is(err, transport.ErrPeerLost) {
			r.Fatalf("the peer of the dead slept on for %v: %v%s", time.Since(died), err, r.outstanding())
		}
		r.drive(patience, w.done)
		w.wants(r, transport.ErrPeerLost)
		a.dead(a.tryRecv, transport.ErrPeerLost)
		a.dead(a.trySend, transport.ErrPeerLost)
		r.settled()
	}
}
