package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// walk is a third interpreter, for all operations: every rank goes through its
// steps in program order, in a random one of all interleavings with the others,
// and sends never wait. It shares no code with Check. Its values are those of toy.
type walk struct {
	Plan
	next    []int                 // by rank: the step that comes next
	held    [][]string            // by rank and chunk
	acc     [][]string            // the same for accumulators
	wires   map[[2]int][][]string // messages on their way
	signals []int                 // by rank: given so far
}

var errStuck = errors.New("stuck")

func newWalk(p Plan) *walk {
	w := &walk{Plan: p, next: make([]int, p.Ranks), wires: map[[2]int][][]string{}, signals: make([]int, p.Ranks)}
	for r := range p.Ranks {
		w.held = append(w.held, make([]string, p.Chunks))
		w.acc = append(w.acc, make([]string, p.Chunks))
		for c := range p.Chunks {
			if p.Collective == AllGather && c != r || p.Collective == Broadcast && r != p.Root {
				continue
			}
			w.held[r][c] = letter(r)
		}
	}
	return w
}

// run walks to the end and returns what each rank must end with.
func (w *walk) run(rng *rand.Rand) (string, error) {
	for {
		var able []int
		ended := true
		for r := range w.Ranks {
			if w.next[r] < len(w.Steps[r]) {
				ended = false
				if w.able(r) {
					able = append(able, r)
				}
			}
		}
		switch {
		case ended:
			return w.result()
		case len(able) == 0:
			return "", errStuck
		}
		r := able[rng.IntN(len(able))]
		if err := w.step(r, w.Steps[r][w.next[r]]); err != nil {
			return "", fmt.Errorf("rank %d %v: %w", r, w.Steps[r][w.next[r]], err)
		}
		w.next[r]++
	}
}

func (w *walk) able(r int) bool {
	s := w.Steps[r][w.next[r]]
	switch s.Op {
	case Recv, RecvReduce, RecvLoad, RecvFold:
		return len(w.wires[[2]int{s.Peer, r}]) > 0
	case Await:
		return w.signals[s.Peer] > s.Lo
	}
	return true
}

func (w *walk) step(r int, s Step) error {
	switch s.Op {
	case Signal:
		w.signals[r]++
		return nil
	case Await:
		return nil
	case Send:
		link := [2]int{r, s.Peer}
		w.wires[link] = append(w.wires[link], append([]string(nil), w.held[r][s.Lo:s.Hi]...))
		return nil
	}
	var came []string
	if s.Op == Recv || s.Op == RecvReduce || s.Op == RecvLoad || s.Op == RecvFold {
		link := [2]int{s.Peer, r}
		came, w.wires[link] = w.wires[link][0], w.wires[link][1:]
		if len(came) != s.Hi-s.Lo {
			return errors.New("another length")
		}
	}
	for c := s.Lo; c < s.Hi; c++ {
		own, acc := &w.held[r][c], &w.acc[r][c]
		in := ""
		if came != nil {
			in = came[c-s.Lo]
		} else if s.Op == Load || s.Op == Fold || s.Op == Copy {
			in = w.held[s.Peer][c]
		}
		switch s.Op {
		case Recv, Copy:
			*own = in
		case RecvReduce:
			*own = "(" + in + *own + ")"
		case Load, RecvLoad:
			*acc = in
		case Fold, RecvFold:
			*acc = "(" + *acc + in + ")"
		case Store:
			*own, *acc = *acc, ""
		case Finish:
			*own = "[" + *own + "]"
		case Put:
			w.held[s.Peer][c] = *own
		}
	}
	return nil
}

// result is what the ranks must agree on, as a text.
func (w *walk) result() (string, error) {
	for r := range w.Ranks {
		for c, v := range w.held[r] {
			ok := true
			switch w.Collective {
			case AllReduce:
				ok = v == w.held[0][c] && len(v) > 2 && v[0] == '[' && complete(v[1:len(v)-1], w.Ranks)
			case ReduceScatter:
				ok = r != c || len(v) > 2 && v[0] == '[' && complete(v[1:len(v)-1], w.Ranks)
			case AllGather:
				ok = v == letter(c)
			case Broadcast:
				ok = v == letter(w.Root)
			}
			if !ok {
				return "", fmt.Errorf("rank %d ends with %q in chunk %d", r, v, c)
			}
			if w.Collective == ReduceScatter && r != c {
				w.held[r][c] = ""
			}
		}
	}
	return fmt.Sprint(w.held), nil
}
