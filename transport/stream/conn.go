package stream

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

// conn is one socket. Its Transport's owner owns it.
type conn struct {
	t     *Transport
	fd    int
	peer  transport.Peer
	err   error // why the connection is dead, for every later request
	full  error // what a post to a full queue answers
	sends queue
	recvs queue
	sent  int // bytes of the first send, header included, that the kernel took
	rx    receiver
}

// pending is a queued request. hdr is a send's encoded frame header.
type pending struct {
	transport.Request
	region *region
	hdr    [wire.FrameSize]byte
}

func (p *pending) bytes() []byte {
	if p.Len == 0 {
		return nil
	}
	return p.region.m.Bytes()[p.Off : p.Off+p.Len]
}

// queue is a fixed ring of requests, oldest first.
type queue struct {
	ring    [queueDepth]pending
	head, n int
}

func (q *queue) at(i int) *pending { return &q.ring[(q.head+i)%queueDepth] }

// newConn takes the socket out of nc: from here on it is read and written raw,
// because the net package costs ten times as much at small sizes.
func newConn(t *Transport, nc net.Conn, peer transport.Peer) (*conn, error) {
	defer nc.Close()
	fd, err := Descriptor(nc)
	if err != nil {
		return nil, err
	}
	if t.cfg.Tune != nil {
		t.cfg.Tune(fd, nc, t.id.PeerTimeout)
	}
	return &conn{t: t, fd: fd, peer: peer, full: t.OpError("post", peer.Rank, transport.ErrQueueFull)}, nil
}

// Descriptor duplicates nc's descriptor, which must be a socket's. The caller
// closes it.
func Descriptor(nc net.Conn) (int, error) {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("%w: %T is no socket", transport.ErrInvalid, nc)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd, dupErr := -1, error(nil)
	if err := raw.Control(func(old uintptr) {
		fd, dupErr = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, fmt.Errorf("duplicate descriptor (ulimit -n?): %w", dupErr)
	}
	return fd, nil
}

// abandon closes a connection that nobody was given.
func (c *conn) abandon() { unix.Close(c.fd) }

func (c *conn) Peer() transport.Peer { return c.peer }

func (c *conn) PostSend(r transport.Request) error { return c.post(&c.sends, "send", r) }

func (c *conn) PostRecv(r transport.Request) error { return c.post(&c.recvs, "recv", r) }

func (c *conn) post(q *queue, op string, r transport.Request) error {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if q.n == queueDepth {
		return c.full
	}
	reg := regionOf(r.Region)
	if err := valid(c.t, reg, r); err != nil {
		return c.t.OpError(op, c.peer.Rank, err)
	}
	p := q.at(q.n)
	p.Request, p.region = r, reg
	if reg != nil {
		reg.inUse++
	}
	if q == &c.sends {
		wire.Frame{Kind: wire.Data, Job: c.t.id.Job, Seq: r.Seq, Tag: r.Tag, Len: r.Len}.Put(p.hdr[:])
	}
	q.n++
	return nil
}

// Wrapper is a region of a transport built on this one that adds to a region of
// its.
type Wrapper interface{ Unwrap() transport.MemoryRegion }

// regionOf is the Transport's own region behind r, or nil.
func regionOf(r transport.MemoryRegion) *region {
	if own, ok := r.(*region); ok {
		return own
	}
	if w, ok := r.(Wrapper); ok {
		own, _ := w.Unwrap().(*region)
		return own
	}
	return nil
}

func valid(t *Transport, reg *region, r transport.Request) error {
	switch {
	case r.Len < 0 || r.Len > wire.MaxPayload:
		return fmt.Errorf("%w: length %d, want 0 to %d", transport.ErrInvalid, r.Len, wire.MaxPayload)
	case reg == nil && r.Region != nil:
		return fmt.Errorf("%w: the region was registered with another transport", transport.ErrInvalid)
	case reg == nil && r.Len > 0:
		return fmt.Errorf("%w: %d bytes without a region", transport.ErrInvalid, r.Len)
	case reg == nil:
		return nil
	case reg.t != t || reg.closed:
		return fmt.Errorf("%w: the region is closed or was registered with another transport", transport.ErrInvalid)
	case r.Off < 0 || r.Off > reg.m.Len()-r.Len:
		return fmt.Errorf("%w: bytes [%d, %d) of a region of %d", transport.ErrInvalid, r.Off, r.Off+r.Len, reg.m.Len())
	}
	return nil
}

// finish removes the oldest request of q and reports it.
func (c *conn) finish(q *queue, done transport.Completion) {
	p := q.at(0)
	if p.region != nil {
		p.region.inUse--
	}
	done.ID, done.Peer = p.ID, c.peer
	p.Region, p.region = nil, nil
	q.head = (q.head + 1) % queueDepth
	q.n--
	c.t.complete(done)
}

// fail ends the connection: every outstanding request gets err.
func (c *conn) fail(op string, err error) {
	if c.err == nil {
		c.err = c.t.OpError(op, c.peer.Rank, err)
	}
	for c.sends.n > 0 {
		c.finish(&c.sends, transport.Completion{Err: c.err})
	}
	for c.recvs.n > 0 {
		c.finish(&c.recvs, transport.Completion{Err: c.err})
	}
	if c.fd >= 0 {
		unix.Close(c.fd)
		c.fd = -1
	}
}

func (c *conn) Close() error {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	if !errors.Is(c.err, transport.ErrClosed) {
		c.shut()
	}
	return nil
}

// shut says goodbye, if the stream stands at a frame boundary and the socket
// has room, and closes. A peer that gets no goodbye sees a lost connection.
func (c *conn) shut() {
	if c.fd >= 0 && c.err == nil {
		c.notify(wire.Bye)
		c.discard()
	}
	c.err = nil
	c.fail("close", transport.ErrClosed)
	for i, have := range c.t.conns {
		if have == c {
			c.t.conns = append(c.t.conns[:i], c.t.conns[i+1:]...)
			break
		}
	}
}

// discard reads what nobody will receive: a socket that is closed with unread
// bytes takes back what it still had to deliver.
func (c *conn) discard() {
	unix.Shutdown(c.fd, unix.SHUT_WR)
	var b [4096]byte
	for range 1 << 12 { // a peer that sends faster than this must not hold up Close
		if n, _ := unix.Read(c.fd, b[:]); n <= 0 {
			return
		}
	}
}

// notify sends a frame without payload, best effort, unless the stream stands
// within a frame.
func (c *conn) notify(kind wire.FrameKind) {
	if c.sent > 0 {
		return
	}
	var b [wire.FrameSize]byte
	wire.Frame{Kind: kind, Job: c.t.id.Job}.Put(b[:])
	unix.Write(c.fd, b[:])
}

// notifyVerdict answers the dialer's hello. Should the dialer be gone, the first
// request on the connection says so.
func (c *conn) notifyVerdict(v wire.Verdict) { unix.Write(c.fd, []byte{byte(v)}) }
