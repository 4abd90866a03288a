package allreduce

import (
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/schedule"
)

// question is what a choice of an algorithm depends on within a group. It is the
// same on all ranks: where their buffers lie is not part of it.
type question struct {
	collective schedule.Collective
	root       int
	bytes      int
	commutes   bool
}

// pick is an answered question.
type pick struct {
	choice   choose.Choice
	programs *programs
}

// maxPicks bounds how many answers are remembered.
const maxPicks = 4096

// pick answers q, from memory if it has been asked before.
func (g *Group) pick(q question) (*pick, error) {
	if p := g.picks[q]; p != nil {
		return p, nil
	}
	c, err := g.choose(q)
	if err != nil {
		return nil, err
	}
	programs, err := g.compiled(programKey{q.collective, c.Algorithm, q.root})
	if err != nil {
		return nil, err
	}
	if len(g.picks) >= maxPicks {
		clear(g.picks)
	}
	p := &pick{c, programs}
	g.picks[q] = p
	return p, nil
}

func (g *Group) choose(q question) (choose.Choice, error) {
	ask := choose.Question{
		Collective: q.collective, Bytes: q.bytes, Ranks: g.c.Ranks,
		HostsConsecutive: consecutive(g.layout.hosts), Shared: g.share != nil || g.layout.memory != "",
		Commutes: q.commutes, Reproducible: g.c.Reproducible != Off, Wanted: g.c.Algorithm,
	}
	for _, h := range g.layout.hosts {
		ask.Hosts = append(ask.Hosts, len(h))
	}
	if g.layout.memory == "" {
		ask.Hosts = []int{g.c.Ranks}
	}
	c, err := g.profile.Choose(ask)
	if err != nil && ask.Wanted != "auto" { // the named one is not for this collective or operator
		ask.Wanted = "auto"
		c, err = g.profile.Choose(ask)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrNotSupported, err)
	}
	return c, nil
}

// consecutive says that every host's ranks follow one another.
func consecutive(hosts [][]int) bool {
	return !slices.ContainsFunc(hosts, func(h []int) bool { return h[len(h)-1]-h[0] != len(h)-1 })
}

// Explain says which algorithm the group runs r with, what it is expected to
// take, and why. It is the same on all ranks.
func (g *Group) Explain(r Request) (choose.Choice, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	s, err := g.shape(&r)
	if err != nil {
		return choose.Choice{}, err
	}
	p, err := g.pick(g.questionOf(&r, s.count))
	if err != nil {
		return choose.Choice{}, err
	}
	return p.choice, nil
}

// questionOf is the question that r poses; count is its shape's.
func (g *Group) questionOf(r *Request, count int) question {
	q := question{collective: r.Collective, bytes: count * r.Type.Size(), commutes: true}
	switch r.Collective {
	case schedule.ReduceScatter:
		q.bytes *= g.c.Ranks
		q.commutes = r.Op.Commutative()
	case schedule.AllGather:
		q.bytes *= g.c.Ranks
	case schedule.Broadcast:
		q.root = r.Root
	default:
		q.commutes = r.Op.Commutative()
	}
	return q
}
