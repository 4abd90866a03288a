package schedule

import "fmt"

// Collective says what a plan leaves in every rank's buffer.
type Collective uint8

const (
	// AllReduce leaves the reduction of all ranks' buffers on every rank.
	AllReduce Collective = iota + 1
	// ReduceScatter leaves chunk r of the reduction on rank r. The other chunks
	// of a rank's buffer are scratch space to the plan.
	ReduceScatter
	// AllGather starts with chunk r on rank r and leaves every chunk on every
	// rank.
	AllGather
	// Broadcast starts with all chunks on the plan's Root and leaves them on every
	// rank.
	Broadcast
)

// String returns the lower-case name of c, as [ParseCollective] reads it.
func (c Collective) String() string {
	switch c {
	case AllReduce:
		return "allreduce"
	case ReduceScatter:
		return "reducescatter"
	case AllGather:
		return "allgather"
	case Broadcast:
		return "broadcast"
	}
	return fmt.Sprintf("schedule.Collective(%d)", uint8(c))
}

// Reduces reports whether c applies an operator.
func (c Collective) Reduces() bool { return c == AllReduce || c == ReduceScatter }

// Blocks reports whether c gives each rank a block of its own, which is then chunk
// r of rank r.
func (c Collective) Blocks() bool { return c == ReduceScatter || c == AllGather }

// ParseCollective returns the collective of that name.
func ParseCollective(name string) (Collective, error) {
	for c := AllReduce; c <= Broadcast; c++ {
		if name == c.String() {
			return c, nil
		}
	}
	return 0, fmt.Errorf("schedule: no collective is named %q", name)
}
