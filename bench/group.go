package bench

import (
	"context"
	"io"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
)

// Group is what a run needs of a group of ranks. [Over] makes one from an
// allreduce.Group.
type Group interface {
	Rank() int
	Size() int
	Do(ctx context.Context, r allreduce.Request) error
	Barrier(ctx context.Context) error
	// Register prepares memory that many requests will use.
	Register(m mem.Memory) (io.Closer, error)
}

// Over lets a run measure g.
func Over(g *allreduce.Group) Group { return member{g} }

type member struct{ *allreduce.Group }

func (m member) Register(memory mem.Memory) (io.Closer, error) {
	return m.Group.Register(memory)
}
