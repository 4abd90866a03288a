package inproc

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// Transport is one rank's end of a Network. One goroutine owns it; Wake, Close
// and Kill may be called from others.
type Transport struct {
	net *Network
	id  transport.Identity

	completions completions
	woken       atomic.Bool // Wake was called and no Wait has returned for it
	timer       *time.Timer // the owner's; sleeps until a modeled arrival
	seat        seat
	segments    atomic.Uint64 // regions registered so far

	// mu guards what follows. It is taken before the locks of a link and of
	// completions, never after.
	mu       sync.Mutex
	conns    []*Conn
	listener *Listener
	closed   bool
}

func newTransport(n *Network, id transport.Identity) *Transport {
	return &Transport{net: n, id: id, completions: completions{wake: make(chan struct{}, 1)},
		seat: seat{wake: make(chan struct{}, 1)}}
}

// Caps says that any host memory will do.
func (t *Transport) Caps() transport.Caps {
	return transport.Caps{
		Name:       driverName,
		Kinds:      []mem.Kind{mem.Host, mem.Pinned},
		MaxMessage: maxMessage,
		QueueDepth: t.net.cfg.QueueDepth,
	}
}

// Register makes m usable in requests.
func (t *Transport) Register(m mem.Memory) (transport.MemoryRegion, error) {
	if k := m.Kind(); k != mem.Host && k != mem.Pinned {
		return nil, opError("register", -1, fmt.Errorf("%w: %v memory", transport.ErrNotSupported, k))
	}
	r := &region{t: t, m: m, segment: t.segments.Add(1)}
	t.net.commons.publish(r)
	return r, nil
}

// Listen starts to accept connections.
func (t *Transport) Listen(ctx context.Context) (transport.Listener, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, opError("listen", -1, ctx.Err())
	case t.closed:
		return nil, opError("listen", -1, transport.ErrClosed)
	case t.listener != nil:
		return nil, invalid("listen", -1, "listening already")
	}
	t.listener = newListener(t)
	return t.listener, nil
}

// Dial connects to the listener at addr. It does not wait for one to appear.
func (t *Transport) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	fail := func(err error) error {
		return opError("dial", peer.Rank, fmt.Errorf("%s: %w", addr, err))
	}
	l := t.net.listenerAt(addr, peer.Rank)
	if l == nil {
		return nil, fail(fmt.Errorf("%w: nobody listens", transport.ErrPeerLost))
	}
	o := offer{from: t, lane: peer.Lane, answer: make(chan answer, 1)}
	select {
	case l.offers <- o:
	case <-l.closed:
		return nil, fail(fmt.Errorf("%w: nobody listens any more", transport.ErrPeerLost))
	case <-ctx.Done():
		return nil, fail(ctx.Err())
	}
	a := <-o.answer
	if a.err != nil {
		return nil, fail(a.err)
	}
	return a.conn, nil
}

// Wake makes the current or the next Wait return.
func (t *Transport) Wake() {
	t.woken.Store(true)
	t.completions.signal()
	t.seat.rouse()
}

// Close ends every connection and tells the peers that this was on purpose.
func (t *Transport) Close() error {
	t.end(transport.ErrPeerClosed)
	return nil
}

// Kill ends the transport as a crash of its rank would: the peers are not told
// and find it lost.
func (t *Transport) Kill() { t.end(transport.ErrPeerLost) }

// end closes the transport; the peers' requests fail with there.
func (t *Transport) end(there error) {
	t.mu.Lock()
	conns, l := t.conns, t.listener
	t.conns, t.closed = nil, true
	t.mu.Unlock()
	if l != nil {
		l.Close()
	}
	for _, c := range conns {
		c.link.fail(c.side, transport.ErrClosed, there)
	}
	t.net.leave(t)
	t.leaveTeam(there)
	t.completions.signal()
}

// remember adds c, of which there must be only one with its peer, lane and
// dialer.
func (t *Transport) remember(c *Conn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return transport.ErrClosed
	}
	for _, o := range t.conns {
		if o.peer == c.peer && o.accepted == c.accepted && o.link.alive() {
			return fmt.Errorf("%w: lane %d to rank %d exists", transport.ErrInvalid, c.peer.Lane, c.peer.Rank)
		}
	}
	t.conns = append(t.conns, c)
	return nil
}

// forget removes c.
func (t *Transport) forget(c *Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.conns, c); i >= 0 {
		t.conns = slices.Delete(t.conns, i, i+1)
	}
}

// listening returns the listener, or nil.
func (t *Transport) listening() *Listener {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.listener
}

// deafen forgets the listener, so that another may be made.
func (t *Transport) deafen(l *Listener) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listener == l {
		t.listener = nil
	}
}

func (t *Transport) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}
