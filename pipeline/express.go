package pipeline

import (
	"context"
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// expressRoom is the longest payload in bytes that travels in one message with
// its fingerprint. Up to here the copy into that message costs less than a message
// of its own does.
const expressRoom = 64<<10 - StampSize

// expressFlat is the longest contribution in bytes that every rank sends straight
// to every other when that takes more messages than passing contributions on.
const expressFlat = 16 << 10

// express runs flat plans of short messages: the ranks' contributions travel with
// fingerprints in the same messages, and every rank computes its result from all
// of them. It does what the loop of flows does with the same plan, in half the
// messages and without windows; docs/adr says what that saves.
//
// With many ranks, contributions are passed on: in round k a rank exchanges all it
// has with the one at distance 2^k (schedule.DoublingAllGather), so log2 of the
// ranks' number of messages do.
type express struct {
	r      *Runner
	out    *mem.Slot
	sent   transport.MemoryRegion
	all    *mem.Slot         // all contributions, by rank, when they are passed on
	in     map[int]*incoming // by rank
	order  []*incoming       // by rank, ascending; this rank's place is nil
	rounds []schedule.Step   // this rank's steps of DoublingAllGather; nil where there is none
	left   int               // requests that have not completed
}

// incoming is the message of one rank.
type incoming struct {
	slot   *mem.Slot
	region transport.MemoryRegion
	conn   transport.Conn // both ways: what one carries acknowledges what came by it
	here   bool
	want   int // bytes
}

// newExpress makes the messages' buffers, for a Runner that is connected both
// ways with every other of the ranks; else it returns nil.
func newExpress(r *Runner, ranks int, pool *mem.Pool) (*express, error) {
	if ranks < 2 || len(r.in) != ranks-1 || len(r.out) != ranks-1 {
		return nil, nil
	}
	e := &express{r: r, in: map[int]*incoming{}, order: make([]*incoming, ranks)}
	var err error
	if e.out, e.sent, err = e.buffer(pool); err != nil {
		return e, err
	}
	if p := ranks; p > 2 && p&(p-1) == 0 {
		e.rounds = schedule.DoublingAllGather(p).Steps[r.rankOf(ranks)]
		if e.all, err = pool.Get(2 * (expressRoom + StampSize)); err != nil {
			return e, fmt.Errorf("pipeline: buffers of short messages: %w", err)
		}
	}
	for rank := range ranks {
		if r.in[rank] == nil {
			continue
		}
		in := &incoming{}
		if in.slot, in.region, err = e.buffer(pool); err != nil {
			return e, err
		}
		// Of the two connections between the ranks, the one that the lower rank dialed.
		if in.conn = r.in[rank].conns[0]; r.rankOf(ranks) < rank {
			in.conn = r.out[rank].conns[0]
		}
		e.in[rank], e.order[rank] = in, in
	}
	return e, nil
}

func (e *express) buffer(pool *mem.Pool) (*mem.Slot, transport.MemoryRegion, error) {
	s, err := pool.Get(StampSize + expressRoom)
	if err != nil {
		return nil, nil, fmt.Errorf("pipeline: buffers of short messages: %w", err)
	}
	region, err := e.r.tr.Register(s.Memory())
	if err != nil {
		s.Release()
		return nil, nil, fmt.Errorf("pipeline: register buffers of short messages: %w", err)
	}
	return s, region, nil
}

func (e *express) close() error {
	var first error
	done := func(s *mem.Slot, r transport.MemoryRegion) {
		if s == nil {
			return
		}
		if err := r.Close(); err != nil && first == nil {
			first = err
		}
		s.Release()
	}
	done(e.out, e.sent)
	if e.all != nil {
		e.all.Release()
	}
	for _, in := range e.in {
		done(in.slot, in.region)
	}
	return first
}

// takes says that e runs the current job.
func (e *express) takes(g *Program, p *partition) bool {
	return e != nil && g.flat && (p.publishedSize() <= expressFlat || e.passesOn(p))
}

// passesOn says that contributions are passed on rather than sent to all.
func (e *express) passesOn(p *partition) bool {
	return e.rounds != nil && p.publishedSize()*len(e.order)/2 <= expressRoom
}

// run executes the current job.
func (e *express) run(ctx context.Context) (err error) {
	defer recovered(&err)
	own := e.r.published()
	copy(e.out.Bytes(), e.r.job.Stamp[:])
	e.left = 0
	if e.passesOn(&e.r.part) {
		return e.passOn(ctx, own)
	}
	copy(e.out.Bytes()[StampSize:], own)
	for rank, in := range e.order {
		if in == nil {
			continue
		}
		if err := e.exchange(rank, len(own)); err != nil {
			return err
		}
	}
	if err := e.wait(ctx); err != nil {
		return err
	}
	return e.combine(func(rank int) []byte {
		if in := e.order[rank]; in != nil {
			return in.slot.Bytes()[StampSize:]
		}
		return own
	})
}

// exchange posts the message to a rank, with n bytes of payload, and the one from
// it.
func (e *express) exchange(rank, n int) error {
	r, in := e.r, e.in[rank]
	in.here, in.want = false, StampSize+n
	receive := transport.Request{Region: in.region, Len: in.want, ID: uint64(rank)<<1 | 1}
	if err := in.conn.PostRecv(receive); err != nil {
		return err
	}
	e.left += 2
	return in.conn.PostSend(transport.Request{Region: e.sent, Len: StampSize + n, Seq: r.job.Seq, Tag: expressTag, ID: uint64(rank) << 1})
}

// passOn runs the rounds.
func (e *express) passOn(ctx context.Context, own []byte) error {
	n := e.r.part.publishedSize()
	all := e.all.Bytes()
	copy(all[e.r.part.rank*n:][:n], own)
	for k := 0; k < len(e.rounds); k += 2 {
		out, in := e.rounds[k], e.rounds[k+1]
		copy(e.out.Bytes()[StampSize:], all[out.Lo*n:out.Hi*n])
		if err := e.exchange(out.Peer, (out.Hi-out.Lo)*n); err != nil {
			return err
		}
		if err := e.wait(ctx); err != nil {
			return err
		}
		copy(all[in.Lo*n:in.Hi*n], e.in[in.Peer].slot.Bytes()[StampSize:])
	}
	return e.combine(func(rank int) []byte { return all[rank*n:][:n] })
}

// wait polls until every message has come and gone.
func (e *express) wait(ctx context.Context) error {
	r := e.r
	for idle := 0; e.left > 0; {
		n, err := r.tr.Poll(r.comps[:])
		if err != nil {
			return err
		}
		for i := range r.comps[:n] {
			if err := e.reap(&r.comps[i]); err != nil {
				return err
			}
		}
		if n > 0 {
			idle = 0
			continue
		}
		if idle++; idle < 2 {
			continue
		}
		if err := r.interrupted(ctx); err != nil {
			return err
		}
		if err := r.sleep(ctx, e.missing()); err != nil {
			return err
		}
		idle = 0
	}
	r.waits.Store(0)
	return nil
}

// reap takes account of a completion.
func (e *express) reap(c *transport.Completion) error {
	if c.Err != nil {
		return c.Err
	}
	e.left--
	if c.ID&1 == 0 {
		return nil
	}
	r, rank := e.r, int(c.ID>>1)
	in := e.in[rank]
	in.here = true
	if c.Tag != expressTag || c.N < StampSize {
		return r.unexpected(c, fmt.Sprintf("the one message of operation %d", r.job.Seq))
	}
	if r.job.Check != nil {
		if err := r.job.Check(rank, in.slot.Bytes()[:StampSize]); err != nil {
			return err
		}
	}
	if c.Seq != r.job.Seq || c.N != in.want {
		return r.unexpected(c, fmt.Sprintf("%d bytes of operation %d", in.want, r.job.Seq))
	}
	return nil
}

// expressTag marks a message that is fingerprint and payload in one.
const expressTag = 2

// missing is a rank whose message has not come, or -1.
func (e *express) missing() int {
	for rank, in := range e.order {
		if in != nil && !in.here {
			return rank
		}
	}
	return -1
}

// combine computes the result of all contributions.
func (e *express) combine(of func(rank int) []byte) error {
	r, p := e.r, &e.r.part
	n := p.count * p.elem
	if n == 0 {
		return nil
	}
	if p.collective == schedule.AllGather {
		for rank := range e.order {
			off, _ := p.chunk(rank)
			copy(r.own(off, n), of(rank))
		}
		return nil
	}
	skip := 0
	if p.collective == schedule.ReduceScatter {
		skip = p.rank * n
	}
	// The sum grows where this rank's message was, which is gone: the result may be
	// its source, whose turn comes later.
	dst, last := r.own(0, n), len(e.order)-1
	sum := of(0)[skip:][:n]
	for rank := 1; rank <= last; rank++ {
		out := e.out.Bytes()[StampSize:][:n]
		if rank == last {
			out = dst
		}
		r.job.Kernel(out, sum, of(rank)[skip:][:n])
		sum = out
	}
	if r.job.Finish != nil {
		r.job.Finish(dst, len(e.order))
	}
	return nil
}
