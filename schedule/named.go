package schedule

import (
	"fmt"
	"maps"
	"slices"
)

// Shape is what a plan depends on beside its collective and algorithm.
type Shape struct {
	Ranks int
	Root  int     // of a Broadcast
	Hosts [][]int // the ranks of each host, for hierarchical plans
}

// named are the constructors of all plans, by collective and algorithm.
var named = map[Collective]map[string]func(Shape) (Plan, error){
	AllReduce: {"ring": byRanks(Ring), "chain": byRanks(Chain), "flat": byRanks(Flat), "exchange": byRanks(Exchange),
		"doubling": byRanks(Doubling), "halving": byRanks(Halving), "direct": byRanks(Direct), "direct-pull": byRanks(DirectPull),
		"hierarchical": byHosts(Hierarchical), "hierarchical-ordered": byHosts(HierarchicalOrdered)},
	ReduceScatter: {"ring": byRanks(RingReduceScatter), "chain": byRanks(ChainReduceScatter), "flat": byRanks(FlatReduceScatter),
		"exchange": byRanks(ExchangeReduceScatter), "direct": byRanks(DirectReduceScatter)},
	AllGather: {"ring": byRanks(RingAllGather), "flat": byRanks(FlatAllGather), "exchange": byRanks(ExchangeAllGather),
		"direct": byRanks(DirectAllGather)},
	Broadcast: {"flat": byRoot(FlatBroadcast), "binomial": byRoot(BinomialBroadcast), "scatter": byRoot(ScatterBroadcast),
		"direct": byRoot(DirectBroadcast)},
}

func byRanks(build func(n int) Plan) func(Shape) (Plan, error) {
	return func(s Shape) (Plan, error) { return build(s.Ranks), nil }
}

func byRoot(build func(n, root int) Plan) func(Shape) (Plan, error) {
	return func(s Shape) (Plan, error) { return build(s.Ranks, s.Root), nil }
}

func byHosts(build func(hosts [][]int) (Plan, error)) func(Shape) (Plan, error) {
	return func(s Shape) (Plan, error) { return build(s.Hosts) }
}

// Named returns the plan of a collective by the name of its algorithm, one of
// [Names]. It fails when there is none of that name, or none for s; it panics when
// s has no ranks.
func Named(c Collective, algorithm string, s Shape) (Plan, error) {
	build := named[c][algorithm]
	if build == nil {
		return Plan{}, fmt.Errorf("schedule: there is no %v algorithm %q", c, algorithm)
	}
	return build(s)
}

// Names lists the algorithms of a collective, sorted.
func Names(c Collective) []string { return slices.Sorted(maps.Keys(named[c])) }
