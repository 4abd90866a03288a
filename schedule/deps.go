package schedule

import "slices"

// Deps returns for each step of rank the earlier steps of the same rank that it
// must wait for, ascending: the latest writer of each chunk it touches and, when
// it writes the chunk itself, the readers since. Send reads; Recv writes;
// RecvReduce and Finish do both. Waiting for these is enough to make every
// execution agree with program order. The steps' chunks must lie within p.
func (p Plan) Deps(rank int) [][]int32 {
	steps := p.Steps[rank]
	var flat []int32
	ends := make([]int, len(steps))
	h := newHistory(p.Chunks)
	for i, s := range steps {
		flat = h.appendDeps(flat, int32(i), s)
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
	reader []int32 // by chunk: the index in reads of its latest reader since, or -1
	reads  []read
}

// read is a step that read a chunk; next is the index of the reader before it.
type read struct{ step, next int32 }

func newHistory(chunks int) *history {
	h := &history{writer: make([]int32, chunks), reader: make([]int32, chunks)}
	h.reset()
	return h
}

// reset forgets every step.
func (h *history) reset() {
	for c := range h.writer {
		h.writer[c], h.reader[c] = -1, -1
	}
	h.reads = h.reads[:0]
}

// appendDeps appends to deps what step i must wait for, and remembers step i.
func (h *history) appendDeps(deps []int32, i int32, s Step) []int32 {
	from := len(deps)
	for c := s.Lo; c < s.Hi; c++ {
		if w := h.writer[c]; w >= 0 {
			deps = append(deps, w)
		}
		if s.Op == Send {
			h.reads = append(h.reads, read{i, h.reader[c]})
			h.reader[c] = int32(len(h.reads) - 1)
			continue
		}
		for r := h.reader[c]; r >= 0; r = h.reads[r].next {
			deps = append(deps, h.reads[r].step)
		}
		h.writer[c], h.reader[c] = i, -1
	}
	if len(deps)-from < 2 {
		return deps
	}
	slices.Sort(deps[from:])
	return deps[:from+len(slices.Compact(deps[from:]))]
}
