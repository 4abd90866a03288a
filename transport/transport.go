package transport

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/ringo-ccl/ringo/mem"
)

// A Driver opens one kind of transport. It is a value that the program passes
// in; nothing registers itself.
type Driver interface {
	// Name is the transport's short name, as in "tcp". It is the same on every
	// rank and appears in errors, logs and tables.
	Name() string
	// Open makes this rank's end of the transport. It answers ErrNotSupported,
	// wrapped with the reason, where the machine lacks what it takes.
	Open(ctx context.Context, id Identity) (Transport, error)
}

// Identity is what a rank proves about itself on every new connection.
type Identity struct {
	// Job names the job. Ranks of different jobs never accept each other.
	Job uint64
	// Token is the job's shared secret. It never travels: both ends of a new
	// connection prove by HMAC challenge and response that they know it.
	Token []byte
	// Rank is this rank, and Ranks the world size.
	Rank, Ranks int
	// Log takes lines about refused strangers. Nil discards them.
	Log *slog.Logger
	// PeerTimeout is how long a peer may be unreachable before its outstanding
	// requests fail with ErrPeerLost. Zero means the driver's default (10 s).
	PeerTimeout time.Duration
}

// Transport is one rank's end of one device: its connections, its registered
// memory and its queue of completions.
//
// One goroutine at a time owns a Transport and everything made from it: only
// Wake and Close may be called from another. The numbered sentences in the
// package comment are the contract; transporttest.Run checks each of them.
type Transport interface {
	// Caps says what the transport can do. It never changes.
	Caps() Caps
	// Listen starts to accept connections. A Transport has at most one Listener.
	Listen(ctx context.Context) (Listener, error)
	// Dial connects to the Listener at addr, which Listener.Addr gave on rank
	// peer.Rank, and returns when both ends have accepted each other. Dial may
	// run in its own goroutine beside Accept, but not beside Poll or Wait.
	Dial(ctx context.Context, addr string, peer Peer) (Conn, error)
	// Register makes m usable in requests. The region is the caller's to Close;
	// m must stay valid until then.
	Register(m mem.Memory) (MemoryRegion, error)
	// Poll makes progress and moves finished requests into done, oldest first
	// per connection and direction. It never blocks and may return 0. Its error
	// is for the transport as a whole; a request's own error is in its
	// Completion.
	Poll(done []Completion) (int, error)
	// Wait returns when Poll would return a completion, after Wake, or when ctx
	// ends (with ctx's error); it may also return early with nil. It first looks
	// for a bounded time and then sleeps, so an idle rank uses no CPU.
	Wait(ctx context.Context) error
	// Wake makes the current or the next Wait return. Any goroutine may call it.
	Wake()
	// Close ends every connection; their outstanding requests complete with
	// ErrClosed and may still be polled. Regions must be closed by their owner.
	Close() error
}

// Peer names the other end of a connection.
type Peer struct {
	// Rank is the other rank.
	Rank int
	// Lane tells apart the connections between the same two ranks. The dialer
	// chooses it; at most one connection exists for each dialer, acceptor and
	// lane.
	Lane int
}

// Listener accepts connections from ranks of the same job. Strangers are
// refused inside it, with a log line, and never seen by the caller.
type Listener interface {
	// Addr is what other ranks Dial; its form is the transport's own.
	Addr() string
	// Accept returns the next connection, or ctx's error.
	Accept(ctx context.Context) (Conn, error)
	io.Closer
}

// Conn is a reliable, ordered, two-way connection between two ranks. Receives
// match sends in posting order, each direction on its own.
type Conn interface {
	// Peer is the rank and lane of the other end.
	Peer() Peer
	// PostSend queues the range for sending. PostRecv queues it to be filled by
	// the matching send. From a post that returned nil until its Completion the
	// transport owns the bytes: a send's may be read but not written, a
	// receive's neither. ErrQueueFull means that nothing was queued: poll, then
	// try again.
	PostSend(r Request) error
	PostRecv(r Request) error
	// Close ends the connection and tells the peer that this was on purpose.
	// Outstanding requests complete with ErrClosed, here, and with ErrPeerClosed
	// at the peer.
	io.Closer
}

// Request describes one send or receive.
type Request struct {
	// Region holds the bytes [Off, Off+Len). It may be nil when Len is 0.
	Region   MemoryRegion
	Off, Len int
	// Seq and Tag travel with a send and come out in the matching receive's
	// Completion; the transport gives them no meaning. A receive's are ignored.
	Seq, Tag uint32
	// ID comes back in the Completion.
	ID uint64
}

// Completion reports the end of one request.
type Completion struct {
	// ID is the request's.
	ID uint64
	// Peer is the connection's.
	Peer Peer
	// Seq and Tag are the sender's.
	Seq, Tag uint32
	// N is the number of bytes moved; for a receive it may be less than Len.
	N int
	// Err is nil on success, else an *OpError that wraps one of the package's
	// sentinels. After an error the connection is dead: all its other requests
	// complete with an error too.
	Err error
}

// MemoryRegion is memory that a Transport may use in requests.
type MemoryRegion interface {
	// Memory is what was registered.
	Memory() mem.Memory
	// Close ends the registration. It fails with ErrRegionInUse while a request
	// on the region is outstanding.
	io.Closer
}

// Caps are a transport's fixed abilities.
type Caps struct {
	// Name is the driver's name.
	Name string
	// Kinds lists the memory that Register takes.
	Kinds []mem.Kind
	// MaxMessage is the largest Len in bytes.
	MaxMessage int
	// QueueDepth is how many sends, and how many receives, one Conn holds.
	QueueDepth int
}

// Takes reports whether Register takes memory of kind k.
func (c Caps) Takes(k mem.Kind) bool {
	for _, have := range c.Kinds {
		if have == k {
			return true
		}
	}
	return false
}
