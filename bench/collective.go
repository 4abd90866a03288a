package bench

import "math"

// Collective names what is measured.
type Collective string

// The collectives that can be measured.
const (
	AllReduce     Collective = "allreduce"
	ReduceScatter Collective = "reducescatter"
	AllGather     Collective = "allgather"
	Broadcast     Collective = "broadcast"
	Barrier       Collective = "barrier"
)

// Collectives lists all of them.
func Collectives() []Collective {
	return []Collective{AllReduce, ReduceScatter, AllGather, Broadcast, Barrier}
}

// root is the rank that has the data: 0 of a Broadcast, -1 where there is none.
func (c Collective) root() int {
	if c == Broadcast {
		return 0
	}
	return -1
}

// reduces reports whether c applies an operator.
func (c Collective) reduces() bool { return c == AllReduce || c == ReduceScatter }

// scattered reports whether the array is the ranks' blocks put together, so
// that its length is a multiple of the number of ranks.
func (c Collective) scattered() bool { return c == ReduceScatter || c == AllGather }

// BusFactor is what the algorithm bandwidth of c is multiplied by to get the
// bus bandwidth: the share of the array that each link carries. It is NaN for a
// single rank, which has no link.
func (c Collective) BusFactor(ranks int) float64 {
	p := float64(ranks)
	switch {
	case ranks < 2:
		return math.NaN()
	case c == AllReduce:
		return 2 * (p - 1) / p
	case c.scattered():
		return (p - 1) / p
	}
	return 1
}
