package schedule

import (
	"fmt"
	"strings"
)

// waits lists for every step of a wiring the steps it waits for: its
// dependencies, for a send its predecessor on the link, and for an Await the
// signal. A receive has the same predecessor through its send.
type waits struct {
	*wiring
	ends []int   // by step: the end of its list in flat
	flat []int32 // the lists, one after another
}

// newWaits derives the waits of every step of w.
func newWaits(w *wiring) *waits {
	ws := &waits{wiring: w, ends: make([]int, 0, len(w.rank)), flat: make([]int32, 0, 2*len(w.rank))}
	h := newHistory(w.plan.Chunks)
	direct := w.plan.isDirect()
	for r, steps := range w.plan.Steps {
		h.reset()
		first := w.first[r]
		turn := turns{last: -1}
		for i, s := range steps {
			start := len(ws.flat)
			ws.flat = h.appendDeps(ws.flat, int32(i), s, r)
			if direct {
				ws.flat = turn.appendDeps(ws.flat, int32(i), s)
			}
			for k := range ws.flat[start:] {
				ws.flat[start+k] += first
			}
			if prev := w.prev[first+int32(i)]; prev >= 0 {
				ws.flat = append(ws.flat, prev)
			}
			if s.Op == Await {
				ws.flat = append(ws.flat, w.signals[s.Peer][s.Lo])
			}
			ws.ends = append(ws.ends, len(ws.flat))
		}
	}
	return ws
}

// turns follows a rank through a plan with steps on shared memory. Those run in
// program order; runs of messages lie between them, each begun when the direct
// step before it is done and ended before the one after it begins.
type turns struct {
	last     int32   // the latest direct step, or -1
	messages []int32 // steps since then
	flow     bool    // the latest step that is at home in one kind only was a message
}

// appendDeps appends what step i must wait for because of whose turn it is.
func (t *turns) appendDeps(deps []int32, i int32, s Step) []int32 {
	if !s.Op.home() {
		t.flow = !s.Op.Direct()
	}
	if t.last >= 0 {
		deps = append(deps, t.last)
	}
	if t.flow {
		t.messages = append(t.messages, i)
		return deps
	}
	deps = append(deps, t.messages...)
	t.messages, t.last = t.messages[:0], i
	return deps
}

// of returns what step g waits for.
func (ws *waits) of(g int32) []int32 {
	if g == 0 {
		return ws.flat[:ws.ends[0]]
	}
	return ws.flat[ws.ends[g-1]:ws.ends[g]]
}

// at returns the k-th step that event e waits for at either end, or -1 past the
// last.
func (ws *waits) at(e int32, k int) int32 {
	list := ws.of(e)
	if k < len(list) {
		return list[k]
	}
	k -= len(list)
	if m := ws.mate[e]; m >= 0 {
		if list = ws.of(m); k < len(list) {
			return list[k]
		}
	}
	return -1
}

// frame is an event on the path of a depth-first walk and the count of its waits
// that have been followed.
type frame struct {
	event int32
	next  int
}

// order returns all events, each after everything it waits for: an order in
// which the plan can run even when a send completes only with its receive. It
// fails when there is none, that is when events wait for one another in a cycle.
func (ws *waits) order() ([]int32, error) {
	const (
		unseen = iota
		onPath
		done
	)
	state := make([]uint8, len(ws.rank))
	order := make([]int32, 0, len(ws.rank)/2)
	var path []frame
	for g := range state {
		if e := ws.event(int32(g)); state[e] == unseen {
			state[e] = onPath
			path = append(path, frame{event: e})
		}
		for len(path) > 0 {
			top := &path[len(path)-1]
			g := ws.at(top.event, top.next)
			top.next++
			if g < 0 {
				state[top.event] = done
				order = append(order, top.event)
				path = path[:len(path)-1]
				continue
			}
			switch e := ws.event(g); state[e] {
			case unseen:
				state[e] = onPath
				path = append(path, frame{event: e})
			case onPath:
				return nil, ws.deadlock(path, e)
			}
		}
	}
	return order, nil
}

// deadlock is the error that the last event of path waits for event e further up.
func (ws *waits) deadlock(path []frame, e int32) error {
	for path[0].event != e {
		path = path[1:]
	}
	const most = 8 // events spelled out
	more := ""
	if len(path) > most {
		more = fmt.Sprintf("%d more, the last of which waits for ", len(path)-most)
		path = path[:most]
	}
	var b strings.Builder
	for _, f := range path {
		b.WriteString(ws.describe(f.event))
		if m := ws.mate[f.event]; m >= 0 {
			b.WriteString(" with " + ws.describe(m))
		}
		b.WriteString(", which waits for ")
	}
	return fmt.Errorf("schedule: deadlock: %v%vthe first", &b, more)
}
