package tcp

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

const (
	// queueDepth is how many sends and how many receives a connection holds.
	queueDepth = 64
	// defaultPeerTimeout is how long an idle connection's peer may be silent
	// before the kernel gives it up.
	defaultPeerTimeout = 10 * time.Second
)

// Transport is one rank's sockets. mu serialises its owner with Close, the only
// method besides Wake that another goroutine may call.
type Transport struct {
	cfg Config
	id  transport.Identity
	log *slog.Logger

	mu     sync.Mutex
	conns  []*conn
	done   []transport.Completion // completions not polled yet: done[head:]
	head   int
	closed bool
	closes []io.Closer // listeners to close with the transport
	vec    vector      // the one system call in flight

	waiter waiter
	woken  atomic.Bool
}

var _ transport.Transport = (*Transport)(nil)

func open(cfg Config, id transport.Identity) (*Transport, error) {
	t := &Transport{cfg: cfg, id: id, log: id.Log}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if t.id.PeerTimeout == 0 {
		t.id.PeerTimeout = defaultPeerTimeout
	}
	if err := t.waiter.open(); err != nil {
		return nil, opError("open", -1, fmt.Errorf("wake-up pipe: %w", err))
	}
	return t, nil
}

// Caps says that any host memory can be sent.
func (t *Transport) Caps() transport.Caps {
	return transport.Caps{Name: Name, Kinds: []mem.Kind{mem.Host, mem.Pinned}, MaxMessage: wire.MaxPayload, QueueDepth: queueDepth}
}

// Poll writes and reads what the sockets take and hold.
func (t *Transport) Poll(done []transport.Completion) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.progress()
	}
	n := copy(done, t.done[t.head:])
	t.head += n
	if t.head == len(t.done) {
		t.done, t.head = t.done[:0], 0
	}
	return n, nil
}

// progress moves what can be moved without blocking.
func (t *Transport) progress() {
	for _, c := range t.conns {
		if c.sends.n > 0 {
			c.flush()
		}
		if c.recvs.n > 0 {
			c.fill()
		}
	}
}

func (t *Transport) complete(c transport.Completion) { t.done = append(t.done, c) }

// Wake makes the current or next Wait return.
func (t *Transport) Wake() {
	t.woken.Store(true)
	t.waiter.wake()
}

// Close ends every connection with a goodbye, and stops listening.
func (t *Transport) Close() error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	closes := t.closes
	t.mu.Unlock()
	for _, l := range closes {
		l.Close()
	}
	t.Wake()
	t.waiter.close() // returns when no Wait sleeps on the descriptors
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.conns) > 0 {
		t.conns[0].shut()
	}
	return nil
}

// add makes c part of the transport, or closes it with a closed one.
func (t *Transport) add(c *conn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		c.shut()
		return opError("connect", c.peer.Rank, transport.ErrClosed)
	}
	t.conns = append(t.conns, c)
	// Room for every completion that can be outstanding: the hot path never grows it.
	if need := len(t.conns) * 2 * queueDepth; cap(t.done) < need {
		t.done = append(make([]transport.Completion, 0, need), t.done...)
	}
	return nil
}

// track makes Close close l too. It says whether the transport is still open.
func (t *Transport) track(l io.Closer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closes = append(t.closes, l)
	}
	return !t.closed
}

func (t *Transport) untrack(l io.Closer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, have := range t.closes {
		if have == l {
			t.closes = append(t.closes[:i:i], t.closes[i+1:]...)
			return
		}
	}
}

// region is registered memory. A socket takes any host memory, so registration
// only counts requests.
type region struct {
	t      *Transport
	m      mem.Memory
	inUse  int
	closed bool
}

// Register makes host memory usable in requests.
func (t *Transport) Register(m mem.Memory) (transport.MemoryRegion, error) {
	if !t.Caps().Takes(m.Kind()) {
		return nil, opError("register", -1, fmt.Errorf("%w: %v memory; tcp sends from host memory only", transport.ErrNotSupported, m.Kind()))
	}
	return &region{t: t, m: m}, nil
}

func (r *region) Memory() mem.Memory { return r.m }

func (r *region) Close() error {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	switch {
	case r.inUse > 0:
		return opError("deregister", -1, fmt.Errorf("%w: %d of them", transport.ErrRegionInUse, r.inUse))
	case r.closed:
		return opError("deregister", -1, transport.ErrClosed)
	}
	r.closed = true
	return nil
}

func opError(op string, peer int, err error) error {
	return &transport.OpError{Transport: Name, Op: op, Peer: peer, Err: err}
}
