package allreduce

import (
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/schedule"
)

// programKey names a compiled plan of the group.
type programKey struct {
	collective schedule.Collective
	algorithm  string
	root       int
}

// programs are a plan compiled for this rank. pull is what takes its place where
// results of private buffers must be read instead of written; nil: the same.
type programs struct{ push, pull *pipeline.Program }

// compiled returns the programs for key, made on first use.
func (g *Group) compiled(key programKey) (*programs, error) {
	if p := g.programs[key]; p != nil {
		return p, nil
	}
	plan, err := g.plan(key)
	if err != nil {
		return nil, err
	}
	p := &programs{}
	if p.push, err = pipeline.Compile(plan, g.c.Rank); err != nil {
		return nil, err
	}
	if key.algorithm == choose.Direct && key.collective == schedule.AllReduce {
		if p.pull, err = pipeline.Compile(schedule.DirectPull(g.c.Ranks), g.c.Rank); err != nil {
			return nil, err
		}
	}
	g.programs[key] = p
	return p, nil
}

// plan makes the plan that key names.
func (g *Group) plan(key programKey) (schedule.Plan, error) {
	p, err := schedule.Named(key.collective, key.algorithm, schedule.Shape{Ranks: g.c.Ranks, Root: key.root, Hosts: g.layout.hosts})
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrNotSupported, err)
	}
	if key.algorithm == choose.Ring {
		return g.ordered(p)
	}
	return p, nil
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

// planConnections decides with whom this rank exchanges messages. Ranks that all
// share memory need none unless a plan of messages is asked for. Otherwise every
// rank is connected with every other, up to choose.MeshLimit ranks, and beyond
// that with those at distances that are powers of two, and its neighbours.
func (g *Group) planConnections() error {
	n, me := g.c.Ranks, g.c.Rank
	if err := g.checkOrder(); err != nil {
		return err
	}
	if g.share != nil && len(g.share.Ranks) == n && (g.c.Algorithm == "auto" || g.c.Algorithm == choose.Direct) {
		return nil
	}
	if n <= choose.MeshLimit {
		for d := 1; d < n; d++ {
			g.destinations = append(g.destinations, (me+d)%n)
			g.sources = append(g.sources, (me+n-d)%n)
		}
		return nil
	}
	add := func(list []int, rank int) []int {
		if rank = (rank + n) % n; rank == me || slices.Contains(list, rank) {
			return list
		}
		return append(list, rank)
	}
	for d := 1; d < n; d *= 2 {
		for _, rank := range []int{me + d, me - d} {
			g.destinations, g.sources = add(g.destinations, rank), add(g.sources, rank)
		}
	}
	keys := []programKey{{schedule.AllReduce, choose.Ring, 0}, {schedule.AllReduce, choose.Chain, 0}, {schedule.AllReduce, choose.Doubling, 0},
		{schedule.AllReduce, choose.HierarchicalOrdered, 0}, {schedule.AllReduce, choose.Hierarchical, 0}}
	if g.c.Reproducible != Off { // whose last rank sends to all
		keys = append(keys, programKey{schedule.ReduceScatter, choose.Chain, 0})
	}
	for _, key := range keys {
		p, err := g.compiled(key)
		if err != nil {
			continue // it does not exist for these hosts
		}
		for _, rank := range p.push.Destinations() {
			g.destinations = add(g.destinations, rank)
		}
		for _, rank := range p.push.Sources() {
			g.sources = add(g.sources, rank)
		}
	}
	return nil
}

func (g *Group) checkOrder() error {
	_, err := g.ordered(schedule.RingAllGather(g.c.Ranks))
	return err
}
