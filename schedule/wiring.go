package schedule

import (
	"fmt"
	"slices"
)

// wiring is the communication graph of a plan. The steps of all ranks are
// numbered through, rank by rank; a number is called g here.
type wiring struct {
	plan  *Plan
	first []int32 // by rank: the number of its step 0
	rank  []int32 // by step: its rank
	mate  []int32 // by step: the other end of its message, or -1
	prev  []int32 // by step: for a send, the one before it to the same peer; or -1
	// signals lists each rank's signals, by their numbers.
	signals [][]int32
}

// newWiring pairs the k-th send from one rank to another with the k-th receive
// there, and fails where their chunks differ or one is without the other. The
// plan's shape must be right.
func newWiring(p *Plan) (*wiring, error) {
	w := numbered(p)
	if err := w.findSignals(); err != nil {
		return nil, err
	}
	links := w.links()
	for r, steps := range p.Steps {
		for i, s := range steps {
			if !s.Op.receives() {
				continue
			}
			if fault := w.pair(w.first[r]+int32(i), links[route{s.Peer, r}]); fault != "" {
				return nil, p.errorAt(r, i, fault)
			}
		}
	}
	return w, w.unreceived()
}

// numbered returns the wiring of p without its messages.
func numbered(p *Plan) *wiring {
	w := &wiring{plan: p, first: make([]int32, p.Ranks)}
	total := int32(0)
	for r, steps := range p.Steps {
		w.first[r] = total
		total += int32(len(steps))
	}
	w.rank = make([]int32, total)
	w.mate = slices.Repeat([]int32{-1}, int(total))
	w.prev = slices.Repeat([]int32{-1}, int(total))
	for r, steps := range p.Steps {
		for i := range steps {
			w.rank[w.first[r]+int32(i)] = int32(r)
		}
	}
	return w
}

// findSignals lists the signals, and fails where their numbers do not count up
// from 0 or one is awaited that is never given.
func (w *wiring) findSignals() error {
	p := w.plan
	w.signals = make([][]int32, p.Ranks)
	for r, steps := range p.Steps {
		for i, s := range steps {
			if s.Op != Signal {
				continue
			}
			if s.Lo != len(w.signals[r]) {
				return p.errorAt(r, i, fmt.Sprintf("the rank has given %d signals before", len(w.signals[r])))
			}
			w.signals[r] = append(w.signals[r], w.first[r]+int32(i))
		}
	}
	for r, steps := range p.Steps {
		for i, s := range steps {
			if s.Op == Await && s.Lo >= len(w.signals[s.Peer]) {
				return p.errorAt(r, i, fmt.Sprintf("rank %d gives %d signals only", s.Peer, len(w.signals[s.Peer])))
			}
		}
	}
	return nil
}

// route is a pair of ranks, one of which sends to the other.
type route struct{ from, to int }

// link is the traffic on a route: its sends in program order, and how many of
// them have been paired with a receive.
type link struct {
	sends  []int32
	paired int
}

// links collects the sends of every route.
func (w *wiring) links() map[route]*link {
	links := make(map[route]*link)
	for r, steps := range w.plan.Steps {
		for i, s := range steps {
			if s.Op != Send {
				continue
			}
			l := links[route{r, s.Peer}]
			if l == nil {
				l = new(link)
				links[route{r, s.Peer}] = l
			}
			l.sends = append(l.sends, w.first[r]+int32(i))
		}
	}
	return links
}

// pair pairs the receive g with the next send of its link, nil for a link
// without sends, and returns what is wrong with that, or "".
func (w *wiring) pair(g int32, l *link) (fault string) {
	if l == nil || l.paired == len(l.sends) {
		return fmt.Sprintf("rank %d has no send left for it", w.step(g).Peer)
	}
	send := l.sends[l.paired]
	if in, out := w.step(g), w.step(send); in.Lo != out.Lo || in.Hi != out.Hi {
		return "it meets a send of other chunks, " + w.describe(send)
	}
	w.mate[g], w.mate[send] = send, g
	if l.paired > 0 {
		w.prev[send] = l.sends[l.paired-1]
	}
	l.paired++
	return ""
}

// unreceived fails when a send has no receive.
func (w *wiring) unreceived() error {
	for r, steps := range w.plan.Steps {
		for i, s := range steps {
			if s.Op == Send && w.mate[w.first[r]+int32(i)] < 0 {
				return w.plan.errorAt(r, i, fmt.Sprintf("rank %d has no receive left for it", s.Peer))
			}
		}
	}
	return nil
}

// step returns step number g.
func (w *wiring) step(g int32) Step {
	r := w.rank[g]
	return w.plan.Steps[r][g-w.first[r]]
}

// describe names step g in an error.
func (w *wiring) describe(g int32) string {
	r := w.rank[g]
	return fmt.Sprintf("rank %d step %d (%v)", r, g-w.first[r], w.step(g))
}

// event returns the number under which step g completes: a message is one event
// at both its ends, named by the smaller number.
func (w *wiring) event(g int32) int32 {
	if m := w.mate[g]; m >= 0 && m < g {
		return m
	}
	return g
}
