package stream

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

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

// Config says what kind of socket a Transport uses. Name and Purpose must be
// given; the rest may be left out.
type Config struct {
	// Name is the transport's, for errors and logs.
	Name string
	// Purpose keeps a proof of the job's token for this protocol from being one
	// for another.
	Purpose string
	// Tune sets options on the descriptor of a new connection, which nc still
	// shares.
	Tune func(fd int, nc net.Conn, peerTimeout time.Duration)
	// Vet refuses a stranger before it has said a word.
	Vet func(nc net.Conn) error
	// Divert takes a connection whose peer has proved itself, instead of Accept,
	// if its lane is at least DivertFrom; ok is false when it does not want it.
	Divert func(nc net.Conn, peer transport.Peer) (ok bool)
}

// DivertFrom is the first lane that is not an ordinary connection's.
const DivertFrom = 1 << 30

// Transport is one rank's sockets: all of a transport.Transport but how to listen
// and to dial. mu serialises its owner with Close, the only method besides Wake
// that another goroutine may call.
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
	short  [wire.FrameSize + shortMax]byte

	crowded bool // there may be more ranks here than processors
	waiter  waiter
	woken   atomic.Bool
}

// Open makes a Transport without connections; it opens no socket yet.
func Open(cfg Config, id transport.Identity) (*Transport, error) {
	t := &Transport{cfg: cfg, id: id, log: id.Log, crowded: id.Ranks > runtime.NumCPU()}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if t.id.PeerTimeout == 0 {
		t.id.PeerTimeout = defaultPeerTimeout
	}
	t.waiter.follow.Wake = t.Wake
	if err := t.waiter.open(); err != nil {
		return nil, t.OpError("open", -1, fmt.Errorf("wake-up pipe: %w", err))
	}
	return t, nil
}

// Caps says that any host memory can be sent.
func (t *Transport) Caps() transport.Caps {
	return transport.Caps{Name: t.cfg.Name, Kinds: []mem.Kind{mem.Host, mem.Pinned}, MaxMessage: wire.MaxPayload, QueueDepth: queueDepth}
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

// Kill ends all connections as the kernel does when a process dies: sockets close
// and nobody says goodbye. It is for tests of what the others then do; the owner
// must be in no call.
func (t *Transport) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.conns {
		unix.Close(c.fd)
		c.fd = -1
		c.err = t.OpError("use", c.peer.Rank, transport.ErrClosed)
	}
}

// add makes c part of the transport, or closes it with a closed one.
func (t *Transport) add(c *conn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		c.shut()
		return t.OpError("connect", c.peer.Rank, transport.ErrClosed)
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
		return nil, t.OpError("register", -1, fmt.Errorf("%w: %v memory; %s sends from host memory only", transport.ErrNotSupported, m.Kind(), t.cfg.Name))
	}
	return &region{t: t, m: m}, nil
}

func (r *region) Memory() mem.Memory { return r.m }

func (r *region) Close() error {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	switch {
	case r.inUse > 0:
		return r.t.OpError("deregister", -1, fmt.Errorf("%w: %d of them", transport.ErrRegionInUse, r.inUse))
	case r.closed:
		return r.t.OpError("deregister", -1, transport.ErrClosed)
	}
	r.closed = true
	return nil
}

// OpError wraps err in the form of all the Transport's errors.
func (t *Transport) OpError(op string, peer int, err error) error {
	return &transport.OpError{Transport: t.cfg.Name, Op: op, Peer: peer, Err: err}
}

// Identity is the rank's, with the defaults filled in.
func (t *Transport) Identity() transport.Identity { return t.id }
