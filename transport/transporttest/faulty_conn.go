package transporttest

import (
	"context"

	"github.com/ringo-ccl/ringo/transport"
)

// faultyConn is a connection of a faulty transport.
type faultyConn struct {
	transport.Conn
	f           *faulty
	lost        bool
	outstanding [2]int // by half
}

// The halves of a faultyConn.
const (
	sends = iota
	recvs
)

func (c *faultyConn) PostSend(q transport.Request) error {
	return c.post(sends, c.Conn.PostSend, q)
}

func (c *faultyConn) PostRecv(q transport.Request) error {
	return c.post(recvs, c.Conn.PostRecv, q)
}

func (c *faultyConn) post(half int, below func(transport.Request) error, q transport.Request) error {
	f := c.f
	f.posts++
	if every := f.faults.QueueFullEvery; every > 0 && f.posts%every == 0 {
		f.kick = true
		return c.error(half, transport.ErrQueueFull)
	}
	if c.lost {
		return c.error(half, transport.ErrPeerLost)
	}
	// Below, a request that is held here is over.
	if c.outstanding[half] == f.depth {
		return c.error(half, transport.ErrQueueFull)
	}
	id := f.keep(slot{c, half, q.ID})
	q.ID = id
	if err := below(q); err != nil {
		f.free = append(f.free, id)
		return err
	}
	c.outstanding[half]++
	return nil
}

func (c *faultyConn) error(half int, cause error) error {
	op := [2]string{sends: "send", recvs: "recv"}[half]
	return &transport.OpError{Transport: c.f.Caps().Name, Op: op, Peer: c.Peer().Rank, Err: cause}
}

// faultyListener accepts faultyConns.
type faultyListener struct {
	transport.Listener
	f *faulty
}

func (l *faultyListener) Accept(ctx context.Context) (transport.Conn, error) {
	c, err := l.Listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: c, f: l.f}, nil
}
