package transporttest

import (
	"errors"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// rank is one transport of a subtest and what was posted on it.
type rank struct {
	*rig
	n        int
	tr       transport.Transport
	listener transport.Listener
	tickets  map[uint64]*ticket // outstanding, by ID
	regions  []*region
	lastID   uint64
	closed   bool // Close or Kill was called
	killed   bool
	scratch  [7]transport.Completion
}

// listen returns the rank's listener.
func (k *rank) listen() transport.Listener {
	k.Helper()
	if k.listener == nil {
		l, err := k.tr.Listen(k.ctx)
		if err != nil {
			k.Fatalf("rank %d: Listen: %v", k.n, err)
		}
		k.listener = l
	}
	return k.listener
}

// idle reports whether nothing is outstanding.
func (k *rank) idle() bool { return len(k.tickets) == 0 }

// poll takes what has finished and returns how much that was.
func (k *rank) poll() int {
	k.Helper()
	if k.killed {
		return 0
	}
	n, err := k.tr.Poll(k.scratch[:])
	if err != nil && !(k.closed && errors.Is(err, transport.ErrClosed)) {
		k.Fatalf("rank %d: Poll: %v%s", k.n, err, k.outstanding())
	}
	for _, c := range k.scratch[:n] {
		k.settle(c)
	}
	return n
}

// settle checks a completion against its ticket.
func (k *rank) settle(c transport.Completion) {
	k.Helper()
	t := k.tickets[c.ID]
	if t == nil {
		k.Errorf("rank %d: a completion of a request that is not outstanding: %+v", k.n, c)
		return
	}
	delete(k.tickets, c.ID)
	t.done, t.got = true, c
	if c.Peer != t.conn.Peer() {
		k.Errorf("%v: completed with peer %+v", t, c.Peer)
	}
}

// close closes the transport and its listener.
func (k *rank) close() {
	k.Helper()
	k.closed = true
	if k.listener != nil {
		if err := k.listener.Close(); err != nil {
			k.Errorf("rank %d: close listener: %v", k.n, err)
		}
	}
	if err := k.tr.Close(); err != nil && !k.killed {
		k.Errorf("rank %d: Close: %v", k.n, err)
	}
}

// finish closes the rank, sees that every request has completed, and then closes
// the regions.
func (k *rank) finish() {
	k.Helper()
	k.close()
	end := time.Now().Add(patience)
	for k.poll() > 0 || !k.idle() && !k.killed {
		if time.Now().After(end) {
			k.Errorf("rank %d: requests that did not complete after Close%s", k.n, k.outstanding())
			break
		}
		time.Sleep(20 * time.Microsecond)
	}
	for _, m := range k.regions {
		if err := m.release(); err != nil && !k.killed {
			k.Errorf("rank %d: close region: %v", k.n, err)
		}
	}
}

// kill ends the rank as a crash would.
func (k *rank) kill() {
	k.Helper()
	k.closed, k.killed = true, true
	if err := k.cfg.Kill(k.tr); err != nil {
		k.Fatalf("rank %d: Kill: %v", k.n, err)
	}
}
