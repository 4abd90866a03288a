package transporttest

import (
	"context"

	"github.com/ringo-ccl/ringo/transport"
)

// faulty is a transport in between: it gives every request an ID of its own,
// and queues completions before it hands them out.
type faulty struct {
	transport.Transport
	faults Faults
	depth  int

	posts, polls, waits, completed int

	slots []slot   // outstanding requests, by the ID below
	free  []uint64 // unused slots
	held  []held   // oldest first
	kick  bool     // the next Wait returns at once
	batch [16]transport.Completion
}

// slot is an outstanding request.
type slot struct {
	conn *faultyConn
	half int
	id   uint64 // the caller's
}

// held is a completion that waits for its Poll.
type held struct {
	transport.Completion
	slot
	due int // the Poll that may return it
}

// Unwrap returns the transport below.
func (f *faulty) Unwrap() transport.Transport { return f.Transport }

func (f *faulty) Listen(ctx context.Context) (transport.Listener, error) {
	l, err := f.Transport.Listen(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyListener{l, f}, nil
}

func (f *faulty) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	c, err := f.Transport.Dial(ctx, addr, peer)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: c, f: f}, nil
}

func (f *faulty) Poll(done []transport.Completion) (int, error) {
	f.polls++
	n, err := f.Transport.Poll(f.batch[:])
	for _, c := range f.batch[:n] {
		f.take(c)
	}
	if len(f.held) == 0 {
		return 0, err
	}
	return f.hand(done), nil
}

// take queues a completion from below.
func (f *faulty) take(c transport.Completion) {
	s := f.slots[c.ID]
	f.slots[c.ID] = slot{}
	f.free = append(f.free, c.ID)
	c.ID = s.id
	f.completed++
	if f.completed == f.faults.LosePeerAt {
		s.conn.lost = true
		s.conn.Conn.Close() // what is outstanding comes back, and fails below
	}
	if s.conn.lost {
		c.N, c.Err = 0, s.conn.error(s.half, transport.ErrPeerLost)
	}
	f.held = append(f.held, held{c, s, f.polls + f.faults.HoldPolls})
}

// hand moves what is due into done.
func (f *faulty) hand(done []transport.Completion) int {
	if f.faults.OneAtATime && len(done) > 1 {
		done = done[:1]
	}
	n := 0
	for n < len(done) && n < len(f.held) && f.held[n].due <= f.polls {
		h := f.held[n]
		h.conn.outstanding[h.half]--
		done[n] = h.Completion
		n++
	}
	f.held = f.held[:copy(f.held, f.held[n:])]
	return n
}

func (f *faulty) Wait(ctx context.Context) error {
	f.waits++
	every := f.faults.SpuriousWaitEvery
	spurious := every > 0 && f.waits%every == 0
	if kick := f.kick; kick || spurious || len(f.held) > 0 {
		f.kick = false
		return ctx.Err()
	}
	return f.Transport.Wait(ctx)
}

// keep finds a slot for a request and returns the ID that stands for it below.
func (f *faulty) keep(s slot) uint64 {
	if len(f.free) == 0 {
		f.slots = append(f.slots, s)
		return uint64(len(f.slots) - 1)
	}
	id := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	f.slots[id] = s
	return id
}
