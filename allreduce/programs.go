package allreduce

import (
	"fmt"

	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
)

// programKey names a compiled plan of the group.
type programKey struct {
	collective schedule.Collective
	ordered    bool // adds in rank order
}

// program returns the compiled plan for key, made on first use.
func (g *Group) program(key programKey) (*pipeline.Program, error) {
	if p := g.programs[key]; p != nil {
		return p, nil
	}
	plan, err := g.plan(key)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Compile(plan, g.c.Rank)
	if err != nil {
		return nil, err
	}
	g.programs[key] = p
	return p, nil
}

// plan is where an algorithm is chosen.
func (g *Group) plan(key programKey) (schedule.Plan, error) {
	n := g.c.Ranks
	switch {
	case key.collective == schedule.AllReduce && key.ordered:
		return schedule.Chain(n), nil
	case key.collective == schedule.AllReduce:
		return g.ordered(schedule.Ring(n))
	case key.collective == schedule.ReduceScatter && key.ordered:
		return schedule.Plan{}, fmt.Errorf("%w yet: reducescatter with an operator that does not commute; use allreduce", ErrNotSupported)
	case key.collective == schedule.ReduceScatter:
		return g.ordered(schedule.RingReduceScatter(n))
	case key.collective == schedule.AllGather:
		return g.ordered(schedule.RingAllGather(n))
	}
	return schedule.Plan{}, fmt.Errorf("%w: collective %v", ErrInvalid, key.collective)
}

// ordered puts a plan into the configured order of the ring.
func (g *Group) ordered(p schedule.Plan) (schedule.Plan, error) {
	if g.c.Order == nil {
		return p, nil
	}
	q, err := schedule.Permute(p, g.c.Order)
	if err != nil {
		return q, fmt.Errorf("%w: ring order: %w", ErrInvalid, err)
	}
	return q, nil
}

func keyOf(c schedule.Collective, op reduce.Op) programKey {
	return programKey{c, c != schedule.AllGather && !op.Commutative()}
}
