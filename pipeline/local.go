package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/reduce"
)

// done marks a unit of op i and runs what waited for it.
func (r *Runner) done(w *window, i int32, u int) {
	w.done[i] |= 1 << u
	w.left--
	for _, next := range r.program.ops[i].next {
		r.follow(w, next, u)
	}
}

// follow runs a local op on one unit if everything it needs is there.
func (r *Runner) follow(w *window, i int32, u int) {
	o := &r.program.ops[i]
	if w.done[i]>>u&1 != 0 || !w.ready(o, u) || r.failure != nil {
		return
	}
	switch o.kind {
	case opReduce:
		if w.arrived[i]>>u&1 != 0 {
			r.reduce(w, i, u)
		}
	case opFinish:
		r.finish(w, i, u)
	}
}

// reduce combines what arrived with the chunk's value: into the result where
// that holds the chunk, else within the slot.
func (r *Runner) reduce(w *window, i int32, u int) {
	chunk, got := r.program.ops[i].chunk, *w.slotOf(i, u)
	off, n := r.part.unit(int(chunk), w.number, u)
	arrived := r.slots.bytes(got, n)
	task := reduce.Task{Kernel: r.job.Kernel, Dst: arrived, A: arrived,
		B: r.bytesAt(*w.placeOf(chunk, u), int(chunk), off, n), ID: unitTicket(gotUnit, w.number, i, u)}
	if _, ok := r.part.inResult(int(chunk)); ok {
		task.Dst = r.bytesAt(inResult, int(chunk), off, n)
	}
	if err := r.engine.Submit(task); err != nil {
		r.failure = err
	}
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
		chunk, got := r.program.ops[i].chunk, *w.slotOf(i, u)
		spare := *w.placeOf(chunk, u)
		*w.placeOf(chunk, u) = got
		if _, ok := r.part.inResult(int(chunk)); ok {
			*w.placeOf(chunk, u) = inResult
			r.slots.put(got)
		}
		if spare >= 0 {
			r.slots.put(spare)
		}
		r.done(w, i, u)
	}
	return n
}

// finish applies the operator's closing step. A value that is still in the
// source moves to the result first.
func (r *Runner) finish(w *window, i int32, u int) {
	chunk := r.program.ops[i].chunk
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
