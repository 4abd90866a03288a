package inproc

import (
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// Conn is one end of a link. The owner of its Transport owns it.
type Conn struct {
	t        *Transport
	peer     transport.Peer
	accepted bool // by Accept, not Dial
	link     *link
	side     int      // which end of link this is
	held     [2]int   // by half: posted and not yet polled
	full     [2]error // by half: prepared, so that a full queue costs nothing
}

func newConn(t *Transport, peer transport.Peer, accepted bool) *Conn {
	c := &Conn{t: t, peer: peer, accepted: accepted}
	for h, name := range halfNames {
		c.full[h] = opError(name, peer.Rank, transport.ErrQueueFull)
	}
	return c
}

// Peer is the rank and lane of the other end.
func (c *Conn) Peer() transport.Peer { return c.peer }

// PostSend queues q for sending; if its receive is there, it copies the bytes.
func (c *Conn) PostSend(q transport.Request) error { return c.post(sending, q) }

// PostRecv queues q to be filled; if its send is there, it copies the bytes.
func (c *Conn) PostRecv(q transport.Request) error { return c.post(receiving, q) }

func (c *Conn) post(h half, q transport.Request) error {
	buf, reg, err := slice(c.t, halfNames[h], c.peer.Rank, q)
	if err != nil {
		return err
	}
	if c.held[h] == c.t.net.cfg.QueueDepth {
		return c.full[h]
	}
	var now time.Time
	if c.t.net.modeled() {
		now = time.Now()
	}
	later, ok, err := c.link.direction(c.side, h).post(h, request{buf: buf, region: reg, id: q.ID, seq: q.Seq, tag: q.Tag}, now)
	if err != nil {
		return opError(halfNames[h], c.peer.Rank, err)
	}
	c.held[h]++
	if !ok {
		c.link.truncated()
	}
	if later { // the peer may sleep without a timer for this arrival
		c.link.ends[1-c.side].t.completions.signal()
	}
	return nil
}

// Close ends the connection and tells the peer that this was on purpose.
func (c *Conn) Close() error {
	c.t.forget(c)
	c.link.fail(c.side, transport.ErrClosed, transport.ErrPeerClosed)
	return nil
}
