package schedule

import (
	"fmt"
	"strings"
)

// The largest plan that [Check] and [Parse] accept.
const (
	MaxRanks  = 1 << 16 // ranks in a plan
	MaxChunks = 1 << 20 // chunks in a plan
	MaxSteps  = 1 << 26 // steps of all ranks together
	maxName   = 64      // bytes in a plan's name
)

// Plan is a collective written out: Steps[r] is what rank r does, in program
// order. The package documentation says what may overlap.
type Plan struct {
	Collective Collective
	Name       string // the algorithm: one word, such as "ring" or "chain"
	Ranks      int
	Chunks     int // the equal parts into which the buffer is cut
	Root       int // the rank that has the data of a Broadcast; otherwise 0
	Steps      [][]Step
}

// newPlan returns a plan for n ranks and as many chunks, without steps. It
// panics when n is less than 1.
func newPlan(c Collective, name string, n int) Plan {
	if n < 1 {
		panic(fmt.Sprintf("schedule: a plan for %d ranks", n))
	}
	return Plan{Collective: c, Name: name, Ranks: n, Chunks: n, Steps: make([][]Step, n)}
}

// shape checks everything about p that can be seen without following data: its
// head, its size and each step by itself.
func (p *Plan) shape() error {
	if fault := p.headFault(); fault != "" {
		return fmt.Errorf("schedule: %s", fault)
	}
	if len(p.Steps) != p.Ranks {
		return fmt.Errorf("schedule: the plan has %d ranks but lists the steps of %d", p.Ranks, len(p.Steps))
	}
	total := 0
	for rank, steps := range p.Steps {
		if total += len(steps); total > MaxSteps {
			return fmt.Errorf("schedule: the plan has more than %d steps", MaxSteps)
		}
		for i, s := range steps {
			if fault := s.fault(p, rank); fault != "" {
				return p.errorAt(rank, i, fault)
			}
		}
	}
	return nil
}

// headFault says in a clause what is wrong with p's fields other than Steps, or
// "" when nothing is.
func (p *Plan) headFault() string {
	switch {
	case p.Collective < AllReduce || p.Collective > Broadcast:
		return fmt.Sprintf("collective %d is unknown", uint8(p.Collective))
	case !isWord(p.Name):
		return fmt.Sprintf("name %.80q is not one word of up to %d letters, digits and -_.", p.Name, maxName)
	case p.Ranks < 1 || p.Ranks > MaxRanks:
		return fmt.Sprintf("%d ranks are not in 1..%d", p.Ranks, MaxRanks)
	case p.Chunks < 1 || p.Chunks > MaxChunks:
		return fmt.Sprintf("%d chunks are not in 1..%d", p.Chunks, MaxChunks)
	case p.Root < 0 || p.Root >= p.Ranks || p.Root != 0 && p.Collective != Broadcast:
		return fmt.Sprintf("%v of %d ranks has no root %d", p.Collective, p.Ranks, p.Root)
	case p.Collective.Blocks() && p.Chunks != p.Ranks:
		return fmt.Sprintf("%v gives every rank one chunk, but there are %d ranks and %d chunks",
			p.Collective, p.Ranks, p.Chunks)
	}
	return ""
}

// isWord reports whether s can be a plan's name.
func isWord(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
			c != '-' && c != '_' && c != '.'
	})
}

// errorAt is the error that step i of rank has this fault.
func (p *Plan) errorAt(rank, i int, fault string) error {
	return fmt.Errorf("schedule: rank %d step %d (%v): %s", rank, i, p.Steps[rank][i], fault)
}

// isDirect reports whether some rank works on shared memory.
func (p *Plan) isDirect() bool {
	for r, steps := range p.Steps {
		for _, s := range steps {
			if s.Op.Direct() || (s.Op == Load || s.Op == Fold) && s.Peer != r {
				return true
			}
		}
	}
	return false
}

// accumulates reports whether some rank uses an accumulator.
func (p *Plan) accumulates() bool {
	for _, steps := range p.Steps {
		for _, s := range steps {
			if s.Op.accumulates() {
				return true
			}
		}
	}
	return false
}
