package schedule

import (
	"fmt"
	"slices"
)

// Hierarchical returns the AllReduce of ranks on several hosts, where those of one
// host share memory. hosts lists the ranks of each, ascending. The message is cut
// into shares, as many as the largest host has ranks; on every host each share is
// one rank's, so all network cards work. A rank sums its share over its host's
// memory, the ranks of all hosts that have the share pass it around a ring, and
// each puts the result into its host's memory.
//
// The order of additions depends on the hosts. See [HierarchicalOrdered] for one
// that does not.
func Hierarchical(hosts [][]int) (Plan, error) {
	h, err := newHierarchy("hierarchical", hosts)
	if err != nil {
		return Plan{}, err
	}
	n := len(hosts)
	h.plan.Chunks = h.shares * n
	h.open(0)
	for s := range h.shares {
		ring := Ring(n)
		for i := range hosts {
			owner, first := h.owner(i, s), s*n
			if len(hosts[i]) > 1 {
				h.add(owner, appendSum(nil, Load, hosts[i], first, first+n)...)
			}
			for _, step := range ring.Steps[i] {
				if step.Lo, step.Hi = step.Lo+first, step.Hi+first; step.Op != Finish {
					step.Peer = h.owner(step.Peer, s)
				}
				h.later(owner, step)
			}
		}
	}
	return h.close(n), nil
}

// HierarchicalOrdered is Hierarchical with contributions added in rank order, from
// left to right: each share goes from host to host as in a chain, and every host's
// owner adds its ranks in order. It fails unless the ranks of each host follow one
// another. With two hosts each direction of the link between them carries the
// message once, which is the least there is; with more, almost twice that.
func HierarchicalOrdered(hosts [][]int) (Plan, error) {
	hosts = slices.Clone(hosts)
	slices.SortFunc(hosts, func(a, b []int) int { return slices.Compare(a, b) })
	h, err := newHierarchy("hierarchical-ordered", hosts)
	if err != nil {
		return Plan{}, err
	}
	for _, ranks := range hosts {
		if ranks[len(ranks)-1]-ranks[0] != len(ranks)-1 {
			return Plan{}, fmt.Errorf("schedule: the ranks %v of a host do not follow one another, so they cannot be added in order", ranks)
		}
	}
	h.plan.Chunks = h.shares
	h.open(0)
	for s := range h.shares {
		for i := range hosts {
			h.later(h.owner(i, s), h.link(i, s)...)
		}
	}
	return h.close(1), nil
}

// link is what the owner of share s on host i does in the chain of hosts.
func (h *hierarchy) link(i, s int) (steps []Step) {
	last := len(h.hosts) - 1
	first := Load
	if i > 0 {
		steps = append(steps, Step{RecvLoad, h.owner(i-1, s), s, s + 1})
		first = Fold
	}
	steps = appendSum(steps, first, h.hosts[i], s, s+1)
	switch {
	case last == 0:
		return append(steps, Step{Finish, -1, s, s + 1})
	case i == last:
		return append(steps, Step{Finish, -1, s, s + 1}, Step{Send, h.owner(0, s), s, s + 1})
	}
	steps = append(steps, Step{Send, h.owner(i+1, s), s, s + 1},
		Step{Recv, h.owner((i+last)%(last+1), s), s, s + 1})
	if i < last-1 {
		steps = append(steps, Step{Send, h.owner(i+1, s), s, s + 1})
	}
	return steps
}

// hierarchy is a plan for hosts under construction. What owners do between the
// memory of their hosts comes last in the making: first is what precedes it.
type hierarchy struct {
	plan    Plan
	hosts   [][]int
	shares  int
	between [][]Step // by rank
}

func newHierarchy(name string, hosts [][]int) (*hierarchy, error) {
	h := &hierarchy{hosts: hosts}
	var all []int
	for _, ranks := range hosts {
		if len(ranks) == 0 || !slices.IsSorted(ranks) {
			return nil, fmt.Errorf("schedule: %v is no ascending list of a host's ranks", ranks)
		}
		h.shares = max(h.shares, len(ranks))
		all = append(all, ranks...)
	}
	slices.Sort(all)
	for i, r := range all {
		if i != r {
			return nil, fmt.Errorf("schedule: the hosts %v do not have each rank from 0 to %d once", hosts, len(all)-1)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("schedule: no hosts")
	}
	h.plan = newPlan(AllReduce, name, len(all))
	h.between = make([][]Step, len(all))
	return h, nil
}

// owner is the rank that has share s on host i.
func (h *hierarchy) owner(i, s int) int { return h.hosts[i][s%len(h.hosts[i])] }

func (h *hierarchy) add(r int, steps ...Step) { h.plan.Steps[r] = append(h.plan.Steps[r], steps...) }

func (h *hierarchy) later(r int, steps ...Step) { h.between[r] = append(h.between[r], steps...) }

// open makes the ranks of each host meet with signal k.
func (h *hierarchy) open(k int) {
	for _, ranks := range h.hosts {
		h.meet(ranks, k)
	}
}

func (h *hierarchy) meet(ranks []int, k int) {
	if len(ranks) == 1 {
		return
	}
	for i, r := range ranks {
		h.add(r, appendMeet(nil, ranks, i, k)...)
	}
}

// close adds what happens between the hosts and the way of each share, of that
// many chunks, into its host's memory, and returns the plan.
func (h *hierarchy) close(chunks int) Plan {
	for r, steps := range h.between {
		h.add(r, steps...)
	}
	for i, ranks := range h.hosts {
		for s := range h.shares {
			owner := h.owner(i, s)
			for _, r := range ranks {
				if r != owner {
					h.add(owner, Step{Put, r, s * chunks, (s + 1) * chunks})
				}
			}
		}
		h.meet(ranks, 1)
	}
	return h.plan
}
