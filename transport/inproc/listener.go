package inproc

import (
	"context"
	"fmt"
	"sync"

	"github.com/ringo-ccl/ringo/transport"
)

// Listener accepts connections from the other ranks of its Network.
type Listener struct {
	t      *Transport
	offers chan offer // unbuffered: an offer that was taken will be answered
	once   sync.Once
	closed chan struct{}
}

// offer is a Dial that waits for an Accept.
type offer struct {
	from   *Transport
	lane   int
	answer chan answer // has room for one
}

type answer struct {
	conn *Conn
	err  error
}

func newListener(t *Transport) *Listener {
	return &Listener{t: t, offers: make(chan offer), closed: make(chan struct{})}
}

// Addr is "inproc:", the Network's number, "/" and the rank.
func (l *Listener) Addr() string { return l.t.net.addr(l.t.id.Rank) }

// Accept returns the next connection from a rank of the same job.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, opError("accept", -1, err)
		}
		select {
		case o := <-l.offers:
			here, there, err := l.admit(o)
			o.answer <- answer{there, err}
			if err == nil {
				return here, nil
			}
			l.t.id.Log.Warn("refused a connection", "transport", driverName, "from", o.from.id.Rank, "cause", err)
		case <-ctx.Done():
		case <-l.closed:
			return nil, opError("accept", -1, transport.ErrClosed)
		}
	}
}

// admit makes both ends of the offered connection, or says why not.
func (l *Listener) admit(o offer) (here, there *Conn, err error) {
	if !sameJob(l.t.id, o.from.id) {
		return nil, nil, fmt.Errorf("%w: the ranks are of different jobs", transport.ErrProtocol)
	}
	here = newConn(l.t, transport.Peer{Rank: o.from.id.Rank, Lane: o.lane}, true)
	there = newConn(o.from, transport.Peer{Rank: l.t.id.Rank, Lane: o.lane}, false)
	link := newLink(&l.t.net.cfg, there, here)
	if err := l.t.remember(here); err != nil {
		return nil, nil, err
	}
	if err := o.from.remember(there); err != nil {
		l.t.forget(here)
		link.fail(there.side, transport.ErrClosed, transport.ErrPeerClosed)
		return nil, nil, err
	}
	return here, there, nil
}

// Close stops accepting; connections stay.
func (l *Listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.t.deafen(l)
	})
	return nil
}
