package stream

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

const (
	// gatherFrames is how many queued frames one system call takes.
	gatherFrames = 8
	// burst bounds what one Poll writes to one connection, so that receives get
	// their turn.
	burst = 1 << 20
)

// flush writes queued frames until the socket is full or the burst is spent.
func (c *conn) flush() {
	for left := burst; c.sends.n > 0 && left > 0; {
		want, n, err := c.write()
		if err == unix.EAGAIN {
			return
		}
		if err != nil {
			c.sendFailed(err)
			return
		}
		c.took(n)
		if n < want {
			return
		}
		left -= n
	}
}

// shortMax is up to which length header and payload of a message are put side by
// side to be written in one plain call.
const shortMax = 4 << 10

// write writes some of what is queued: n of want bytes.
func (c *conn) write() (want, n int, err error) {
	if p := c.sends.at(0); c.sends.n == 1 && c.sent == 0 && p.Len <= shortMax {
		b := c.t.short[:wire.FrameSize+p.Len]
		copy(b, p.hdr[:])
		copy(b[wire.FrameSize:], p.bytes())
		n, err = WritePlain(c.fd, b)
		return len(b), n, err
	}
	want = c.gather()
	n, err = c.t.vec.write(c.fd)
	return want, n, err
}

// gather lists the unsent bytes of the oldest frames, header and payload in
// turn, and returns how many there are.
func (c *conn) gather() int {
	v := &c.t.vec
	v.reset()
	skip := c.sent
	for i := 0; i < min(c.sends.n, gatherFrames) && v.bytes < burst; i++ {
		p := c.sends.at(i)
		if skip < wire.FrameSize {
			v.add(p.hdr[skip:])
			v.add(p.bytes())
		} else {
			v.add(p.bytes()[skip-wire.FrameSize:])
		}
		skip = 0
	}
	return v.bytes
}

// took accounts n bytes to the oldest frames and completes those that are gone.
func (c *conn) took(n int) {
	c.sent += n
	for c.sends.n > 0 {
		p := c.sends.at(0)
		size := wire.FrameSize + p.Len
		if c.sent < size {
			return
		}
		c.sent -= size
		c.finish(&c.sends, transport.Completion{Seq: p.Seq, Tag: p.Tag, N: p.Len})
	}
}

// sendFailed looks for the peer's last word before it calls the peer lost.
func (c *conn) sendFailed(err error) {
	c.fail("send", c.lastWord(fmt.Errorf("%w: %w", transport.ErrPeerLost, err)))
}

// lastWord reads what the peer said before the connection ended: a goodbye or a
// refusal explain the end, anything else leaves it as err.
func (c *conn) lastWord(err error) error {
	if c.rx.hdrGot > 0 || len(c.rx.stash) > 0 {
		return err // mid-message: what follows is no header
	}
	var b [wire.FrameSize]byte
	if n, _ := unix.Read(c.fd, b[:]); n != wire.FrameSize {
		return err
	}
	f, bad := wire.ParseFrame(b[:], c.t.id.Job)
	switch {
	case bad != nil:
		return err
	case f.Kind == wire.Bye:
		return transport.ErrPeerClosed
	case f.Kind == wire.Truncated:
		return transport.ErrTruncated
	}
	return err
}
