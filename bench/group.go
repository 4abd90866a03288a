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
	// Algorithm names what the group runs r with.
	Algorithm(r allreduce.Request) string
	// Alloc returns n bytes of the memory that is best for collectives.
	Alloc(n int) (Buffer, error)
}

// Buffer is memory that somebody has to give back.
type Buffer interface {
	Memory() mem.Memory
	io.Closer
}

// Over lets a run measure g.
func Over(g *allreduce.Group) Group { return member{g} }

type member struct{ *allreduce.Group }

func (m member) Alloc(n int) (Buffer, error) { return m.Group.Alloc(n) }

func (m member) Algorithm(r allreduce.Request) string {
	c, err := m.Group.Explain(r)
	if err != nil {
		return "-" // the call itself will say why
	}
	return c.Algorithm
}
