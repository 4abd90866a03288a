package pipeline

import (
	"fmt"
	"testing"
)

// The boards' protocol, as programs of three instructions on shared words, checked
// in every interleaving. Words only hold numbers of operations or windows: what is
// read must be what the operation or window put there, neither older nor newer.
// Go's atomics are sequentially consistent and order the plain accesses around
// them, so interleavings are all there is to check.

type instruction struct {
	kind  byte // 'w'rite, 'a'wait at least, 'r'ead exactly
	word  int
	value int8
}

// explorer visits every state of programs that run at the same time.
type explorer struct {
	programs [][]instruction
	words    int
	seen     map[string]bool
	fault    string
}

// run returns what went wrong in some interleaving, or "". Every program must be
// able to end in all of them.
func (e *explorer) run() string {
	e.seen = map[string]bool{}
	e.visit(make([]int8, len(e.programs)+e.words))
	return e.fault
}

// visit explores the states behind s: the programs' counters, then the words.
func (e *explorer) visit(s []int8) {
	if e.fault != "" || e.seen[string(bytesOf(s))] {
		return
	}
	e.seen[string(bytesOf(s))] = true
	n := len(e.programs)
	moved, ended := false, 0
	for i, p := range e.programs {
		at := int(s[i])
		if at == len(p) {
			ended++
			continue
		}
		in := p[at]
		word := s[n+in.word]
		switch {
		case in.kind == 'a' && word < in.value:
			continue
		case in.kind == 'r' && word != in.value:
			e.fault = fmt.Sprintf("rank %d reads %d in word %d, want %d", i, word, in.word, in.value)
			return
		}
		next := append([]int8(nil), s...)
		next[i]++
		if in.kind == 'w' {
			next[n+in.word] = in.value
		}
		moved = true
		e.visit(next)
	}
	if !moved && ended < n && e.fault == "" {
		e.fault = fmt.Sprintf("stuck at %v", s[:n])
	}
}

func bytesOf(s []int8) []byte {
	b := make([]byte, len(s))
	for i, v := range s {
		b[i] = byte(v)
	}
	return b
}

// lines is the protocol of small payloads: operation after operation, each rank
// fills in its payload and its line, by parities of the number, and reads all
// others'.
func lines(ranks, operations, parities int) *explorer {
	e := &explorer{words: 2 * ranks * parities}
	payload := func(r, op int) int { return 2 * (r*parities + op%parities) }
	for r := range ranks {
		var p []instruction
		for op := 1; op <= operations; op++ {
			p = append(p, instruction{'w', payload(r, op), int8(op)}, instruction{'w', payload(r, op) + 1, int8(op)})
			for q := range ranks {
				if q != r {
					p = append(p, instruction{'a', payload(q, op) + 1, int8(op)}, instruction{'r', payload(q, op), int8(op)})
				}
			}
		}
		e.programs = append(e.programs, p)
	}
	return e
}

// blocks is the protocol of windowed, for a plan with that many signals in each
// window: rank r signals that its block is filled one window ahead, and reads the
// others' blocks in the window's last part.
func blocks(ranks, windows, per, count int) *explorer {
	e := &explorer{words: ranks * (count + 1)}
	stage := func(r int) int { return r * (count + 1) }
	block := func(r, w int) int { return stage(r) + 1 + w%count }
	value := func(w, k int) int8 { return int8(w*per + k + 1) }
	for r := range ranks {
		others := func(do func(q int)) {
			for q := range ranks {
				if q != r {
					do(q)
				}
			}
		}
		p := []instruction{{'w', block(r, 0), 0}, {'w', stage(r), value(0, 0)}}
		for w := range windows {
			for s := 1; s <= per; s++ {
				if s == per && w+1 < windows {
					others(func(q int) { p = append(p, instruction{'a', stage(q), value(w, 0)}) })
					p = append(p, instruction{'w', block(r, w+1), int8(w + 1)}, instruction{'w', stage(r), value(w+1, 0)})
				}
				others(func(q int) {
					p = append(p, instruction{'a', stage(q), value(w, s-1)}, instruction{'r', block(q, w), int8(w)})
				})
				if s < per {
					p = append(p, instruction{'w', stage(r), value(w, s)})
				}
			}
		}
		e.programs = append(e.programs, p)
	}
	return e
}

// TestProtocol: in every interleaving each rank reads what belongs to its
// operation or window, and nobody gets stuck; and one parity or block fewer than
// there are shows that the check can tell.
func TestProtocol(t *testing.T) {
	for name, c := range map[string]struct {
		e     *explorer
		right bool
	}{
		"lines, 2 ranks":                {lines(2, 6, 2), true},
		"lines, 3 ranks":                {lines(3, 4, 2), true},
		"lines, one parity":             {lines(2, 3, 1), false},
		"blocks, 2 ranks, 1 signal":     {blocks(2, 8, 1, stageBlocks), true},
		"blocks, 2 ranks, 2 signals":    {blocks(2, 7, 2, stageBlocks), true},
		"blocks, 3 ranks, 1 signal":     {blocks(3, 5, 1, stageBlocks), true},
		"blocks, 3 ranks, 2 signals":    {blocks(3, 4, 2, stageBlocks), true},
		"blocks, two where four belong": {blocks(2, 6, 1, 2), false},
	} {
		fault := c.e.run()
		if (fault == "") != c.right {
			t.Errorf("%s: %q after %d states", name, fault, len(c.e.seen))
		}
		t.Logf("%s: %d states", name, len(c.e.seen))
	}
}
