package schedule

import "slices"

// Deps returns for each step of rank the earlier steps of the same rank that it
// must wait for, ascending: the latest writer of each chunk it touches and, when
// it writes the chunk itself, the readers since; and the latest step on each
// accumulator that it changes. Send and Put read a chunk, and so do Load and Fold
// of the rank's own memory; Recv, Store and Copy write it; RecvReduce and Finish
// do both. Waiting for these is enough to make every execution agree with program
// order, in plans without steps on shared memory; those of a plan that has such
// are the subject of the package comment. The steps' chunks must lie within p.
func (p Plan) Deps(rank int) [][]int32 {
	steps := p.Steps[rank]
	var flat []int32
	ends := make([]int, len(steps))
	h := newHistory(p.Chunks)
	for i, s := range steps {
		flat = h.appendDeps(flat, int32(i), s, rank)
		ends[i] = len(flat)
	}
	deps := make([][]int32, len(steps))
	start := 0
	for i, end := range ends {
		deps[i] = flat[start:end:end]
		start = end
	}
	return deps
}

// history remembers who touched each chunk of a rank last.
type history struct {
	writer []int32 // by chunk: the latest step that wrote it, or -1
	acc    []int32 // by chunk: the latest step on its accumulator, or -1
	reader []int32 // by chunk: the index in reads of its latest reader since, or -1
	reads  []read
}

// read is a step that read a chunk; next is the index of the reader before it.
type read struct{ step, next int32 }

func newHistory(chunks int) *history {
	h := &history{writer: make([]int32, chunks), acc: make([]int32, chunks), reader: make([]int32, chunks)}
	h.reset()
	return h
}

// reset forgets every step.
func (h *history) reset() {
	for c := range h.writer {
		h.writer[c], h.acc[c], h.reader[c] = -1, -1, -1
	}
	h.reads = h.reads[:0]
}

// appendDeps appends to deps what step i of rank must wait for, and remembers it.
func (h *history) appendDeps(deps []int32, i int32, s Step, rank int) []int32 {
	if s.Op == Signal || s.Op == Await {
		return deps
	}
	from := len(deps)
	reads, writes := s.touches(rank)
	for c := s.Lo; c < s.Hi; c++ {
		if s.Op.accumulates() {
			if a := h.acc[c]; a >= 0 {
				deps = append(deps, a)
			}
			h.acc[c] = i
		}
		if w := h.writer[c]; w >= 0 && (reads || writes) {
			deps = append(deps, w)
		}
		if writes {
			for r := h.reader[c]; r >= 0; r = h.reads[r].next {
				deps = append(deps, h.reads[r].step)
			}
			h.writer[c], h.reader[c] = i, -1
		} else if reads {
			h.reads = append(h.reads, read{i, h.reader[c]})
			h.reader[c] = int32(len(h.reads) - 1)
		}
	}
	if len(deps)-from < 2 {
		return deps
	}
	slices.Sort(deps[from:])
	return deps[:from+len(slices.Compact(deps[from:]))]
}

// touches says what s does to the chunks of its own rank.
func (s Step) touches(rank int) (reads, writes bool) {
	switch s.Op {
	case Send, Put:
		return true, false
	case Load, Fold:
		return s.Peer == rank, false
	case Recv, RecvReduce, Finish, Store, Copy:
		return false, true
	}
	return false, false
}
