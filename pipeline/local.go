package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/reduce"
)

// done marks a unit of op i and runs what waited for it.
func (r *Runner) done(w *window, i int32, u int) {
	w.done[i] |= 1 << u
	w.left--
	for _, next := range r.flow.ops[i].next {
		r.follow(w, next, u)
	}
}

// follow runs a local op on one unit if everything it needs is there.
func (r *Runner) follow(w *window, i int32, u int) {
	o := &r.flow.ops[i]
	if w.done[i]>>u&1 != 0 || !w.ready(o, u) || r.failure != nil {
		return
	}
	if o.kind.receives() && w.arrived[i]>>u&1 == 0 {
		return
	}
	switch o.kind {
	case opReduce:
		r.reduce(w, i, u)
	case opRecvLoad:
		*w.accOf(o.chunk, u) = *w.slotOf(i, u)
		r.done(w, i, u)
	case opLoad:
		r.load(w, i, u)
	case opRecvFold, opFold:
		r.fold(w, i, u)
	case opStore:
		r.store(w, i, u)
	case opFinish:
		r.finish(w, i, u)
	}
}

// reduce combines what arrived with the chunk's value: into the result where
// that holds the chunk, else within the slot.
func (r *Runner) reduce(w *window, i int32, u int) {
	chunk, got := r.flow.ops[i].chunk, *w.slotOf(i, u)
	off, n := r.part.unit(int(chunk), w.number, u)
	arrived := r.slots.bytes(got, n)
	task := reduce.Task{Kernel: r.job.Kernel, Dst: arrived, A: arrived,
		B: r.bytesAt(*w.placeOf(chunk, u), int(chunk), off, n), ID: unitTicket(gotUnit, w.number, i, u)}
	if _, ok := r.part.inResult(int(chunk)); ok {
		task.Dst = r.bytesAt(inResult, int(chunk), off, n)
	}
	r.submit(task)
}

func (r *Runner) submit(t reduce.Task) {
	if err := r.engine.Submit(t); err != nil && r.failure == nil {
		r.failure = err
	}
}

// fold adds to the accumulator, which is the left operand: what arrived, or a
// chunk in some rank's memory. The sum goes straight to the result when it is
// the last, else to a slot.
func (r *Runner) fold(w *window, i int32, u int) {
	o := &r.flow.ops[i]
	off, n := r.part.unit(int(o.chunk), w.number, u)
	acc := *w.accOf(o.chunk, u)
	task := reduce.Task{Kernel: r.job.Kernel, A: r.bytesAt(acc, int(o.chunk), off, n), ID: unitTicket(gotUnit, w.number, i, u)}
	if o.kind == opRecvFold {
		task.B = r.slots.bytes(*w.slotOf(i, u), n)
	} else {
		*w.slotOf(i, u) = acc // where the sum goes, unless to the result
		task.B = r.bytesAt(r.placeIn(w, o, u), int(o.chunk), off, n)
	}
	switch {
	case r.stores(o):
		task.Dst = r.bytesAt(inResult, int(o.chunk), off, n)
	case o.kind == opRecvFold:
		task.Dst = task.B
	case acc >= 0:
		task.Dst = task.A
	default:
		slot, ok := r.slots.take()
		if !ok {
			r.starved = append(r.starved, unitTicket(gotUnit, w.number, i, u))
			return
		}
		*w.slotOf(i, u) = slot
		task.Dst = r.slots.bytes(slot, n)
	}
	r.submit(task)
}

// stores says that a fold's sum is what the chunk becomes, and the result holds it.
func (r *Runner) stores(o *op) bool {
	_, ok := r.part.inResult(int(o.chunk))
	return ok && o.store
}

// feed tries again what found no free slot.
func (r *Runner) feed() {
	for n := len(r.starved); n > 0 && len(r.slots.free) > 0; n-- {
		t := ticket(r.starved[0])
		r.starved = append(r.starved[:0], r.starved[1:]...)
		r.follow(r.windows[t.window()], t.index(), t.unit())
	}
}

// placeIn is where a Load or Fold reads: this rank's value of the chunk, or a
// peer's memory.
func (r *Runner) placeIn(w *window, o *op, u int) int16 {
	if int(o.peer) == r.program.Rank {
		return *w.placeOf(o.chunk, u)
	}
	return inPeers - int16(o.peer)
}

// load makes the accumulator the chunk's value in some rank's memory, without
// copying it.
func (r *Runner) load(w *window, i int32, u int) {
	o := &r.flow.ops[i]
	*w.accOf(o.chunk, u) = r.placeIn(w, o, u)
	r.done(w, i, u)
}

// store makes the accumulator the chunk's value.
func (r *Runner) store(w *window, i int32, u int) {
	chunk := r.flow.ops[i].chunk
	acc, place := w.accOf(chunk, u), w.placeOf(chunk, u)
	if _, ok := r.part.inResult(int(chunk)); ok && *acc != inResult {
		off, n := r.part.unit(int(chunk), w.number, u)
		copy(r.bytesAt(inResult, int(chunk), off, n), r.bytesAt(*acc, int(chunk), off, n))
		if *acc >= 0 {
			r.slots.put(*acc)
		}
		*acc = inResult
	}
	*place, *acc = *acc, nowhere
	r.done(w, i, u)
}

// reapEngine takes finished reductions to their next stage.
func (r *Runner) reapEngine() int {
	n, err := r.engine.Poll(r.reduced[:])
	if err != nil && r.failure == nil {
		r.failure = err
	}
	for _, d := range r.reduced[:n] {
		if d.Err != nil {
			r.failure = d.Err
			return 0
		}
		t := ticket(d.ID)
		w, i, u := r.windows[t.window()], t.index(), t.unit()
		if o := &r.flow.ops[i]; o.kind == opReduce {
			r.settled(w, o, *w.slotOf(i, u), u)
		} else {
			r.folded(w, o, *w.slotOf(i, u), u)
		}
		r.done(w, i, u)
	}
	return n
}

// settled moves the chunk's place to where the sum is: the result or the slot
// got.
func (r *Runner) settled(w *window, o *op, got int16, u int) {
	spare := *w.placeOf(o.chunk, u)
	*w.placeOf(o.chunk, u) = got
	if _, ok := r.part.inResult(int(o.chunk)); ok {
		*w.placeOf(o.chunk, u) = inResult
		r.slots.put(got)
	}
	if spare >= 0 {
		r.slots.put(spare)
	}
}

// folded moves the accumulator's place to where the sum is: the result or slot.
func (r *Runner) folded(w *window, o *op, slot int16, u int) {
	acc := w.accOf(o.chunk, u)
	old := *acc
	*acc = slot
	if r.stores(o) {
		*acc = inResult
		if o.kind == opRecvFold {
			r.slots.put(slot)
		}
	}
	if o.kind == opRecvFold {
		r.in[int(o.peer)].flying--
	}
	if old >= 0 && old != *acc {
		r.slots.put(old)
	}
}

// finish applies the operator's closing step. A value that is still in the
// source moves to the result first.
func (r *Runner) finish(w *window, i int32, u int) {
	chunk := r.flow.ops[i].chunk
	off, n := r.part.unit(int(chunk), w.number, u)
	place := w.placeOf(chunk, u)
	if *place == inSource {
		if _, ok := r.part.inResult(int(chunk)); !ok {
			r.failure = fmt.Errorf("pipeline: the plan finishes chunk %d on rank %d, whose result does not hold it", chunk, r.program.Rank)
			return
		}
		if !r.job.InPlace {
			copy(r.bytesAt(inResult, int(chunk), off, n), r.bytesAt(inSource, int(chunk), off, n))
		}
		*place = inResult
	}
	if r.job.Finish != nil {
		r.job.Finish(r.bytesAt(*place, int(chunk), off, n), r.program.Ranks)
	}
	r.done(w, i, u)
}
