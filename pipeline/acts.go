package pipeline

import (
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/schedule"
)

// act is one step on memory that ranks share; adjacent steps that belong
// together are one act.
type act struct {
	kind   actKind
	lo, hi int // chunks
	signal int
	peers  []int // of an await: for whom; a fold: the sources, in order; a copy: from whom; a put: to whom
	late   bool  // a copy reads the peer's result, not its source
	finish bool  // a fold applies the closing step
	puts   []int // a fold's sum goes to these ranks' results as well
}

type actKind uint8

const (
	actSignal actKind = iota
	actAwait
	actFold   // own result = peers[0] ∘ peers[1] ∘ …, then to the results of puts
	actFinish // the closing step alone
	actCopy   // own result = a peer's memory
	actPut    // peers' results = own result
	actKeep   // own result = own source, for chunks that no step writes
)

// compileActs turns the direct steps of one part of a rank's program into acts.
func compileActs(g *Program, p schedule.Plan, steps []schedule.Step) ([]act, error) {
	rank := g.Rank
	var acts []act
	for _, s := range steps {
		a, ok := actOf(s)
		if !ok {
			return nil, fmt.Errorf("pipeline: rank %d: step %v is not one on shared memory", rank, s)
		}
		if s.Op == schedule.Copy && s.Peer != rank {
			a.late = writtenBy(p, s.Peer, s, lastAwait(acts, s.Peer))
		}
		if n := len(acts); n == 0 || !acts[n-1].absorb(a, s) {
			acts = append(acts, a)
		}
	}
	return keepRest(g, p, acts), nil
}

func actOf(s schedule.Step) (act, bool) {
	a := act{lo: s.Lo, hi: s.Hi, peers: []int{s.Peer}}
	switch s.Op {
	case schedule.Signal:
		return act{kind: actSignal, signal: s.Lo}, true
	case schedule.Await:
		return act{kind: actAwait, signal: s.Lo, peers: a.peers}, true
	case schedule.Load, schedule.Fold, schedule.Store:
		a.kind = actFold
	case schedule.Finish:
		a.kind = actFinish
	case schedule.Copy:
		a.kind = actCopy
	case schedule.Put:
		a.kind = actPut
	default:
		return a, false
	}
	return a, true
}

// absorb makes b, the act of step s, part of a if they belong together.
func (a *act) absorb(b act, s schedule.Step) bool {
	same := a.lo == b.lo && a.hi == b.hi
	switch {
	case a.kind == actAwait && b.kind == actAwait && a.signal == b.signal:
		a.peers = append(a.peers, b.peers...)
	case a.kind == actFold && s.Op == schedule.Fold && same:
		a.peers = append(a.peers, s.Peer)
	case a.kind == actFold && s.Op == schedule.Store && same:
	case a.kind == actFold && b.kind == actFinish && same:
		a.finish = true
	case a.kind == actFold && b.kind == actPut && same:
		a.puts = append(a.puts, b.peers...)
	case a.kind == actPut && b.kind == actPut && same:
		a.peers = append(a.peers, b.peers...)
	default:
		return false
	}
	return true
}

// lastAwait is the latest signal of peer that acts wait for, or -1.
func lastAwait(acts []act, peer int) int {
	for _, a := range slices.Backward(acts) {
		if a.kind == actAwait && slices.Contains(a.peers, peer) {
			return a.signal
		}
	}
	return -1
}

// writtenBy says that rank writes the chunks of s before it gives that signal.
func writtenBy(p schedule.Plan, rank int, s schedule.Step, signal int) bool {
	for _, o := range p.Steps[rank] {
		switch o.Op {
		case schedule.Signal:
			if o.Lo == signal {
				return false
			}
		case schedule.Store, schedule.Copy, schedule.Recv, schedule.RecvReduce:
			if o.Lo <= s.Lo && s.Hi <= o.Hi {
				return true
			}
		}
	}
	return false
}

// keepRest adds, behind the first signal so that nobody waits for them, the acts
// that keep chunks of the result which no step of any rank writes.
func keepRest(g *Program, p schedule.Plan, acts []act) []act {
	written := make([]bool, p.Chunks)
	mark := func(s schedule.Step) {
		for c := s.Lo; c < s.Hi; c++ {
			written[c] = true
		}
	}
	for r, steps := range p.Steps {
		for _, s := range steps {
			own := r == g.Rank && s.Op != schedule.Send && s.Op != schedule.Signal && s.Op != schedule.Await && s.Op != schedule.Put
			if own && s.Op != schedule.Load && s.Op != schedule.Fold || s.Op == schedule.Put && s.Peer == g.Rank {
				mark(s)
			}
		}
	}
	part := newPartition(g, 0, 0)
	var keep []act
	for c := range written {
		if _, ok := part.inResult(c); ok && !written[c] {
			keep = append(keep, act{kind: actKeep, lo: c, hi: c + 1})
		}
	}
	at := 1 + slices.IndexFunc(acts, func(a act) bool { return a.kind == actSignal })
	return slices.Insert(acts, at, keep...)
}

// bySignal splits acts behind each signal.
func bySignal(acts []act) (segments [][]act) {
	start := 0
	for i := range acts {
		if acts[i].kind == actSignal {
			segments = append(segments, acts[start:i+1])
			start = i + 1
		}
	}
	return append(segments, acts[start:])
}
