package stream

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

// guessMax is the longest receive for which header and payload are read in one
// system call, on the guess that the message fills its receive. A wrong guess
// costs one copy into the stash.
const guessMax = 64 << 10

// smallMax is the longest receive for which everything that the socket holds is
// read ahead in one plain system call, and copied on from there. Such messages
// often come several at a time, and are shorter than what a second call costs.
const smallMax = 20 << 10

// aheadSize is how much is read ahead at a time.
const aheadSize = 32 << 10

// receiver is the read side of a connection: the header being read, then the
// payload of the first receive.
type receiver struct {
	hdr    [wire.FrameSize]byte
	hdrGot int // bytes of hdr read; at FrameSize frame is valid
	frame  wire.Frame
	got    int    // payload bytes of frame in place
	ahead  []byte // where what is read ahead goes; nil until the first time
	stash  []byte // bytes that were read ahead, or too far by a wrong guess: to be read first
}

// fill reads until the socket is empty, receives run out or a burst is read.
func (c *conn) fill() {
	drained := false // by reading ahead
	for left := burst; c.recvs.n > 0 && left > 0; {
		if len(c.rx.stash) == 0 {
			if drained {
				return
			}
			if c.rx.hdrGot == 0 && c.recvs.at(0).Len <= smallMax {
				var some bool
				if some, drained = c.readAhead(); !some {
					return
				}
			}
		}
		n, full := c.readOnce()
		if !full || c.fd < 0 {
			return
		}
		left -= n
	}
}

// readAhead fills the stash from the socket. drained says that there was no more.
func (c *conn) readAhead() (some, drained bool) {
	rx := &c.rx
	if rx.ahead == nil {
		rx.ahead = make([]byte, aheadSize)
	}
	n, err := readPlain(c.fd, rx.ahead)
	if !c.readSome(n, err, len(rx.ahead)) {
		return false, true
	}
	rx.stash = rx.ahead[:n]
	return true, n < len(rx.ahead)
}

// readOnce makes one read and says whether the socket may hold more.
func (c *conn) readOnce() (n int, full bool) {
	if c.rx.hdrGot < wire.FrameSize {
		return c.readHeader()
	}
	return c.readPayload()
}

func (c *conn) readHeader() (n int, full bool) {
	rx, p, v := &c.rx, c.recvs.at(0), &c.t.vec
	v.reset()
	v.add(rx.hdr[rx.hdrGot:])
	guess := p.Len > 0 && p.Len <= guessMax && len(rx.stash) == 0
	if guess {
		v.add(p.bytes())
	}
	n, full = c.read()
	if n == 0 {
		return 0, full
	}
	h := min(n, wire.FrameSize-rx.hdrGot)
	rx.hdrGot += h
	if rx.hdrGot < wire.FrameSize {
		return n, full
	}
	if !c.accept(p) {
		return n, false
	}
	rx.got = n - h
	if over := rx.got - rx.frame.Len; over > 0 {
		rx.stash = append([]byte(nil), p.bytes()[rx.frame.Len:rx.got]...)
		rx.got = rx.frame.Len
	}
	c.deliver()
	return n, full || len(rx.stash) > 0
}

// accept judges the header that was read. A message that is no data for the
// first receive ends the connection.
func (c *conn) accept(p *pending) bool {
	f, err := wire.ParseFrame(c.rx.hdr[:], c.t.id.Job)
	switch {
	case err != nil:
		c.fail("recv", fmt.Errorf("%w: %w", transport.ErrProtocol, err))
	case f.Kind == wire.Bye:
		c.fail("recv", transport.ErrPeerClosed)
	case f.Kind == wire.Truncated:
		c.fail("send", transport.ErrTruncated)
	case f.Len > p.Len:
		c.notify(wire.Truncated)
		c.fail("recv", fmt.Errorf("%w: %d bytes (operation %d, tag %#x) for a receive of %d", transport.ErrTruncated, f.Len, f.Seq, f.Tag, p.Len))
	default:
		c.rx.frame = f
		return true
	}
	return false
}

// readPayload reads the rest of the payload.
func (c *conn) readPayload() (n int, full bool) {
	rx, p, v := &c.rx, c.recvs.at(0), &c.t.vec
	v.reset()
	rest := p.bytes()[rx.got:rx.frame.Len]
	v.add(rest)
	n, full = c.read()
	rx.got += n
	c.deliver()
	return n, full
}

// deliver completes the first receive when its payload is in place.
func (c *conn) deliver() {
	rx := &c.rx
	if rx.got < rx.frame.Len {
		return
	}
	rx.hdrGot, rx.got = 0, 0
	c.finish(&c.recvs, transport.Completion{Seq: rx.frame.Seq, Tag: rx.frame.Tag, N: rx.frame.Len})
}

// read fills the vector from the stash or the socket. full says that everything
// asked for came, so more may be there.
func (c *conn) read() (n int, full bool) {
	v := &c.t.vec
	if len(c.rx.stash) > 0 {
		n = v.copyFrom(c.rx.stash)
		if c.rx.stash = c.rx.stash[n:]; len(c.rx.stash) == 0 {
			c.rx.stash = nil
		}
		return n, true
	}
	n, err := v.read(c.fd)
	if !c.readSome(n, err, v.bytes) {
		return 0, false
	}
	return n, n == v.bytes
}

// readSome judges what a read of want bytes returned: whether it got anything.
func (c *conn) readSome(n int, err error, want int) bool {
	switch {
	case err == unix.EAGAIN:
		return false
	case err != nil:
		c.fail("recv", fmt.Errorf("%w: %w", transport.ErrPeerLost, err))
		return false
	case n == 0 && want > 0:
		c.fail("recv", fmt.Errorf("%w: its end of the connection closed without a goodbye", transport.ErrPeerLost))
		return false
	}
	return true
}
