package pipeline

import (
	"errors"
	"fmt"

	"github.com/ringo-ccl/ringo/transport"
)

// startFlow readies the loop for a part of the current job's program and posts
// the stamps.
func (r *Runner) startFlow(f *flow) error {
	r.part.divide(r.cfg.SubChunk)
	r.base, r.begun = 0, 0
	r.slots.reset()
	r.starved = r.starved[:0]
	if err := r.use(f); err != nil {
		return err
	}
	return r.postStamps()
}

// use makes f the current flow.
func (r *Runner) use(f *flow) error {
	if r.flow != f {
		r.sends, r.recvs = r.sends[:0], r.recvs[:0]
		for _, rt := range f.out {
			r.sends = append(r.sends, r.out[rt.peer])
		}
		for _, rt := range f.in {
			r.recvs = append(r.recvs, r.in[rt.peer])
		}
		if r.windows = r.memory[f]; r.windows == nil {
			r.windows = newWindows(f, r.program.Chunks)
			r.memory[f] = r.windows
		}
		r.flow = f
	}
	for i, c := range r.sends {
		if c == nil {
			return fmt.Errorf("pipeline: the plan sends to rank %d, which is not connected", f.out[i].peer)
		}
		c.rewind(f.out[i].ops)
	}
	for i, c := range r.recvs {
		if c == nil {
			return fmt.Errorf("pipeline: the plan receives from rank %d, which is not connected", f.in[i].peer)
		}
		c.rewind(f.in[i].ops)
	}
	return nil
}

func (r *Runner) finished() bool {
	return r.base == r.part.windows && r.stamps.left == 0
}

// beginWindows retires the oldest windows that are done and begins others in
// their place. It returns how many it touched.
func (r *Runner) beginWindows() (touched int) {
	for r.base < r.begun && r.windows[r.base%windowsInFlight].left == 0 {
		r.base++
		touched++
	}
	for r.begun < r.part.windows && r.begun < r.base+windowsInFlight {
		w := r.windows[r.begun%windowsInFlight]
		w.begin(r.flow, &r.part, r.begun)
		r.begun++
		touched++
		for _, i := range r.flow.free {
			for u := range windowUnits {
				r.follow(w, i, u)
			}
		}
	}
	return touched
}

// upcoming is the unit at c's cursor: its window, op and place in the chunk. It
// passes over units that the chunk is too short for. The window is nil when depth
// units are in flight or the cursor's window has not begun.
func (r *Runner) upcoming(c *channel) (w *window, i int32, off, n int) {
	for c.flying < r.cfg.Depth*len(c.conns) && c.window < r.begun {
		i = c.route[c.at]
		if off, n = r.part.unit(int(r.flow.ops[i].chunk), c.window, c.unit); n > 0 {
			return r.windows[c.window%windowsInFlight], i, off, n
		}
		c.advance()
	}
	return nil, 0, 0, 0
}

// postRecvs posts what may be received from c's peer: up to depth sub-chunks on
// each lane, into a scratch slot when they will be reduced, else in place.
func (r *Runner) postRecvs(c *channel) (posted int) {
	for {
		w, i, off, n := r.upcoming(c)
		if w == nil {
			return posted
		}
		o, u := &r.flow.ops[i], c.unit
		if o.kind == opRecv && !w.ready(o, u) {
			return posted
		}
		req := transport.Request{Len: n, ID: unitTicket(gotUnit, c.window, i, u)}
		slot := int16(-1)
		if home, ok := r.part.inResult(int(o.chunk)); ok && o.kind == opRecv {
			req.Region, req.Off = r.job.Dst, r.job.DstOff+home+off
		} else {
			if slot, ok = r.slots.take(); !ok {
				return posted
			}
			*w.slotOf(i, u) = slot
			req.Region = r.slots.all[slot].region
		}
		if err := c.conn().PostRecv(req); err != nil {
			if slot >= 0 {
				r.slots.put(slot)
			}
			r.postFailed(err)
			return posted
		}
		c.posted()
		c.advance()
		posted++
	}
}

// postSends posts what may be sent to c's peer: sub-chunks whose value is final
// at this step of the plan, from wherever it lies.
func (r *Runner) postSends(c *channel) (posted int) {
	for {
		w, i, off, n := r.upcoming(c)
		if w == nil {
			return posted
		}
		o, u := &r.flow.ops[i], c.unit
		if !w.ready(o, u) {
			return posted
		}
		req := transport.Request{Len: n, Seq: r.job.Seq, Tag: unitTag(o.chunk, c.window, u), ID: unitTicket(sentUnit, c.window, i, u)}
		req.Region, req.Off = r.locate(*w.placeOf(o.chunk, u), int(o.chunk), off)
		if err := c.conn().PostSend(req); err != nil {
			r.postFailed(err)
			return posted
		}
		c.posted()
		c.advance()
		posted++
	}
}

// postFailed remembers why a post failed. A full queue is no failure: the next
// turn tries again.
func (r *Runner) postFailed(err error) {
	if !errors.Is(err, transport.ErrQueueFull) && r.failure == nil {
		r.failure = err
	}
}

// locate turns a place into a region and offset.
func (r *Runner) locate(place int16, chunk, off int) (transport.MemoryRegion, int) {
	switch place {
	case inSource:
		at, _ := r.part.inSource(chunk)
		return r.job.Src, r.job.SrcOff + at + off
	case inResult:
		at, _ := r.part.inResult(chunk)
		return r.job.Dst, r.job.DstOff + at + off
	}
	return r.slots.all[place].region, 0
}

// bytesAt are n bytes of a chunk from off on, wherever its value lies.
func (r *Runner) bytesAt(place int16, chunk, off, n int) []byte {
	if place <= inPeers {
		at, _ := r.part.inSource(chunk)
		return r.team.source(int(inPeers - place))[at+off:][:n]
	}
	region, at := r.locate(place, chunk, off)
	return region.Memory().Bytes()[at : at+n]
}

// unitTag is what sender and receiver must agree on for a unit: chunk and place,
// spread over 32 bits.
func unitTag(chunk int32, window, u int) uint32 {
	return uint32(chunk)*0x9e3779b1 ^ uint32(window*windowUnits+u+1)*0x85ebca6b
}

// missing is the rank that the run waits for: one whose data is due, else one
// that does not take ours, else -1.
func (r *Runner) missing() int {
	for _, c := range r.recvs {
		if c.flying > 0 {
			return c.peer
		}
	}
	if r.stamps.left > 0 && len(r.recvs) > 0 {
		return r.recvs[0].peer
	}
	for _, c := range r.sends {
		if c.flying > 0 {
			return c.peer
		}
	}
	return -1
}
