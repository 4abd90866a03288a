package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/transport"
)

// reap takes one completion to its next stage.
func (r *Runner) reap(c *transport.Completion) error {
	if c.Err != nil {
		return c.Err
	}
	t := ticket(c.ID)
	if k := t.kind(); k == sentStamp || k == gotStamp {
		return r.reapStamp(t, c)
	}
	w, i, u := r.windows[t.window()], t.index(), t.unit()
	o := &r.flow.ops[i]
	if t.kind() == sentUnit {
		r.out[c.Peer.Rank].flying--
		if place := *w.placeOf(o.chunk, u); o.last && place >= 0 {
			r.slots.put(place)
		}
		r.done(w, i, u)
		return nil
	}
	if o.kind != opRecvFold { // that holds its slot, and so its place in flight, until it is folded
		r.in[c.Peer.Rank].flying--
	}
	if err := r.expected(c, o, w.number, u); err != nil {
		return err
	}
	w.arrived[i] |= 1 << u
	if o.kind != opRecv {
		r.follow(w, i, u)
		return nil
	}
	*w.placeOf(o.chunk, u) = inResult
	if _, ok := r.part.inResult(int(o.chunk)); !ok {
		*w.placeOf(o.chunk, u) = *w.slotOf(i, u)
	}
	r.done(w, i, u)
	return nil
}

// expected verifies that a message is the one this receive stands for.
func (r *Runner) expected(c *transport.Completion, o *op, window, u int) error {
	_, n := r.part.unit(int(o.chunk), window, u)
	if tag := unitTag(o.chunk, window, u); c.Seq != r.job.Seq || c.Tag != tag || c.N != n {
		return r.unexpected(c, fmt.Sprintf("operation %d, tag %#x, %d bytes (chunk %d, window %d, sub-chunk %d)", r.job.Seq, tag, n, o.chunk, window, u))
	}
	return nil
}

// unexpected says that a peer sent something else than what was due: a message
// was lost, repeated or mixed up.
func (r *Runner) unexpected(c *transport.Completion, due string) error {
	return &transport.OpError{Transport: r.tr.Caps().Name, Op: "recv", Peer: c.Peer.Rank,
		Err: fmt.Errorf("%w: operation %d, tag %#x, %d bytes came where %s was due", transport.ErrProtocol, c.Seq, c.Tag, c.N, due)}
}
