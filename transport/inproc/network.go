package inproc

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

const (
	driverName        = "inproc"
	defaultQueueDepth = 64
	minQueueDepth     = 4 // the contract's
	maxMessage        = 1 << 30
)

// Config describes the wires of a Network. The zero value is the fastest: no
// model, and the default queue depth.
type Config struct {
	// Latency is the time from the last byte's departure to its arrival.
	Latency time.Duration
	// Bandwidth is in bytes per second, of each direction of each connection.
	// Zero means unlimited.
	Bandwidth float64
	// QueueDepth is how many sends, and how many receives, a Conn holds: at
	// least 4. Zero means 64.
	QueueDepth int
}

// Network is a set of ranks that can reach each other within this process. It
// is a transport.Driver and safe for use by all ranks at once.
type Network struct {
	cfg Config
	id  uint64

	mu    sync.Mutex
	ranks map[int]*Transport

	commons commons
}

var networks atomic.Uint64 // numbers the Networks, for their addresses

// NewNetwork makes a Network without ranks.
func NewNetwork(cfg Config) *Network {
	if cfg.QueueDepth <= 0 {
		cfg.QueueDepth = defaultQueueDepth
	}
	cfg.QueueDepth = max(cfg.QueueDepth, minQueueDepth)
	return &Network{cfg: cfg, id: networks.Add(1), ranks: map[int]*Transport{}, commons: newCommons()}
}

// Name returns "inproc".
func (n *Network) Name() string { return driverName }

// Open joins the Network as id.Rank, which must not be open already. The result
// is a *Transport.
func (n *Network) Open(ctx context.Context, id transport.Identity) (transport.Transport, error) {
	if err := ctx.Err(); err != nil {
		return nil, &transport.OpError{Transport: driverName, Op: "open", Peer: -1, Err: err}
	}
	if id.Rank < 0 || id.Rank >= id.Ranks {
		return nil, invalid("open", -1, "rank %d of %d", id.Rank, id.Ranks)
	}
	if id.Log == nil {
		id.Log = slog.New(slog.DiscardHandler)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ranks[id.Rank] != nil {
		return nil, invalid("open", -1, "rank %d is open already", id.Rank)
	}
	t := newTransport(n, id)
	n.ranks[id.Rank] = t
	return t, nil
}

// modeled reports whether messages take time.
func (n *Network) modeled() bool { return n.cfg.Latency > 0 || n.cfg.Bandwidth > 0 }

// addr is where rank listens.
func (n *Network) addr(rank int) string { return fmt.Sprintf("inproc:%d/%d", n.id, rank) }

// leave forgets t, so that its rank may open again.
func (n *Network) leave(t *Transport) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ranks[t.id.Rank] == t {
		delete(n.ranks, t.id.Rank)
	}
}

// listenerAt finds who listens at addr, which must be rank's.
func (n *Network) listenerAt(addr string, rank int) *Listener {
	n.mu.Lock()
	t := n.ranks[rank]
	n.mu.Unlock()
	if t == nil || n.addr(rank) != addr {
		return nil
	}
	return t.listening()
}

// sameJob reports whether two ranks would accept each other.
func sameJob(a, b transport.Identity) bool {
	return a.Job == b.Job && a.Ranks == b.Ranks && subtle.ConstantTimeCompare(a.Token, b.Token) == 1
}

func invalid(op string, peer int, format string, args ...any) error {
	return opError(op, peer, fmt.Errorf("%w: %s", transport.ErrInvalid, fmt.Sprintf(format, args...)))
}

func opError(op string, peer int, err error) error {
	return &transport.OpError{Transport: driverName, Op: op, Peer: peer, Err: err}
}
