package choose

import (
	"slices"

	"github.com/ringo-ccl/ringo/schedule"
)

// The algorithms, by the names of their plans in package schedule.
const (
	Ring                = "ring"
	Chain               = "chain"
	Flat                = "flat"
	Exchange            = "exchange"
	Doubling            = "doubling"
	Halving             = "halving"
	Direct              = "direct"
	Hierarchical        = "hierarchical"
	HierarchicalOrdered = "hierarchical-ordered"
	Binomial            = "binomial"
	Scatter             = "scatter"
)

// MeshLimit is the most ranks that are all connected with each other. Algorithms
// in which every rank sends to every other exist up to here.
const MeshLimit = 32

// algorithm is what there is to know about one besides its cost.
type algorithm struct {
	name string
	// for these collectives
	collectives []schedule.Collective
	// canonical: adds strictly in rank order, whatever the number of ranks;
	// ordered: in rank order with any brackets
	canonical, ordered bool
	memory             bool // needs ranks of one host to share memory
	hosts              bool // is for several hosts
	mesh               bool // needs every rank connected with every other
	cost               func(e *estimate) int64
}

var (
	all      = []schedule.Collective{schedule.AllReduce, schedule.ReduceScatter, schedule.AllGather, schedule.Broadcast}
	blocks   = []schedule.Collective{schedule.AllReduce, schedule.ReduceScatter, schedule.AllGather}
	reducing = []schedule.Collective{schedule.AllReduce, schedule.ReduceScatter}
	only     = []schedule.Collective{schedule.AllReduce}
	broadest = []schedule.Collective{schedule.Broadcast}
)

// algorithms is ordered by preference where estimates are equal.
var algorithms = []algorithm{
	{name: Direct, collectives: all, canonical: true, ordered: true, memory: true, cost: (*estimate).direct},
	{name: Flat, collectives: all, canonical: true, ordered: true, mesh: true, cost: (*estimate).flat},
	{name: Exchange, collectives: blocks, canonical: true, ordered: true, mesh: true, cost: (*estimate).exchange},
	{name: HierarchicalOrdered, collectives: only, canonical: true, ordered: true, memory: true, hosts: true, cost: (*estimate).hierarchicalOrdered},
	{name: Doubling, collectives: only, ordered: true, cost: (*estimate).doubling},
	{name: Halving, collectives: only, cost: (*estimate).halving},
	{name: Hierarchical, collectives: only, memory: true, hosts: true, cost: (*estimate).hierarchical},
	{name: Ring, collectives: blocks, cost: (*estimate).ring},
	{name: Binomial, collectives: broadest, canonical: true, ordered: true, cost: (*estimate).binomial},
	{name: Scatter, collectives: broadest, canonical: true, ordered: true, mesh: true, cost: (*estimate).scatter},
	{name: Chain, collectives: reducing, canonical: true, ordered: true, cost: (*estimate).chain},
}

// Algorithms lists the names of all algorithms.
func Algorithms() []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	slices.Sort(names)
	return names
}

// excluded says in a clause why a cannot be used for q, or "".
func (a *algorithm) excluded(q *Question) string {
	several := len(q.Hosts) > 1
	switch {
	case !slices.Contains(a.collectives, q.Collective):
		return "does not exist for " + q.Collective.String()
	case a.memory && !q.Shared:
		return "needs ranks that share memory"
	case a.memory && a.hosts != several:
		if several {
			return "is for ranks of one host"
		}
		return "is for several hosts"
	case a.mesh && q.Ranks > MeshLimit:
		return "connects every rank with every other, which is done up to 32 ranks"
	case a.name == HierarchicalOrdered && !q.HostsConsecutive:
		return "needs the ranks of each host to follow one another"
	case q.Reproducible && q.Collective.Reduces() && !a.canonical && q.Ranks > 2:
		return "does not add in rank order, left to right"
	case !q.Commutes && q.Collective.Reduces() && !a.ordered:
		return "does not add in rank order"
	}
	return ""
}
