package allreduce

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport"
)

// Buffer is memory that a Group allocated. Ranks of one host read and write each
// other's Buffers directly, so collectives on them are several times faster than
// on ordinary slices; over the network they are registered and in huge pages
// where the system gives any.
//
// Several requests may use parts of one Buffer. It is unmapped by Close, or by
// the Group's.
type Buffer struct {
	g      *Group
	memory mem.Memory
	shared transport.MemoryRegion // of the transport that shares memory, or nil
	region transport.MemoryRegion // of the message transport; may be the same
	block  *mem.Block             // the memory, where none is shared
}

// Alloc returns a Buffer of n zero bytes. It waits for a running collective. Where
// memory is short the error says how much was wanted, where, and what to do.
func (g *Group) Alloc(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: a buffer of %d bytes", ErrInvalid, n)
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	if err := g.dead(); err != nil {
		return nil, err
	}
	b := &Buffer{g: g}
	if err := b.open(n); err != nil {
		return nil, errors.Join(err, b.release())
	}
	g.buffers = append(g.buffers, b)
	return b, nil
}

func (b *Buffer) open(n int) (err error) {
	g := b.g
	if g.share != nil {
		if b.shared, err = g.share.Direct.Alloc(n); err != nil {
			return err
		}
		b.memory = b.shared.Memory()
		if g.direct == nil { // messages go over the same transport
			b.region = b.shared
			return nil
		}
	} else {
		if b.block, err = mem.AllocWith(n, mem.AllocOptions{HugePages: true}); err != nil {
			return err
		}
		b.memory = b.block.Memory()
	}
	b.region, err = g.tr.Register(b.memory)
	return err
}

// release gives back what open took.
func (b *Buffer) release() error {
	var errs []error
	if b.region != nil && b.region != b.shared {
		errs = append(errs, b.region.Close())
	}
	if b.shared != nil {
		errs = append(errs, b.shared.Close())
	}
	if b.block != nil {
		errs = append(errs, b.block.Close())
	}
	b.region, b.shared, b.block, b.memory = nil, nil, nil, mem.Memory{}
	return errors.Join(errs...)
}

// Memory is the Buffer's bytes; empty after Close.
func (b *Buffer) Memory() mem.Memory { return b.memory }

// Close unmaps the Buffer: nobody may touch its bytes any more. It waits for a
// running collective.
func (b *Buffer) Close() error {
	b.g.turn.Lock()
	defer b.g.turn.Unlock()
	if b.g.closed { // with the group
		return nil
	}
	if i := slices.Index(b.g.buffers, b); i >= 0 {
		b.g.buffers = slices.Delete(b.g.buffers, i, i+1)
		return b.release()
	}
	return fmt.Errorf("%w: buffer closed twice", ErrInvalid)
}

// Alloc returns a slice of n zero elements in a Buffer of g: the fastest memory
// for collectives. It is unmapped when g is closed, or by Free.
func Alloc[T reduce.Number](g *Group, n int) ([]T, error) {
	b, err := g.Alloc(n * reduce.TypeOf[T]().Size())
	if err != nil {
		return nil, err
	}
	return mem.SliceOf[T](b.Memory().Bytes()), nil
}

// Free unmaps the Buffer that Alloc made x of. x must be the whole slice.
func Free[T reduce.Number](g *Group, x []T) error {
	m := mem.Of(x)
	g.turn.Lock()
	for _, b := range g.buffers {
		if off, ok := mem.Contains(b.memory, m); ok && off == 0 {
			g.turn.Unlock()
			return b.Close()
		}
	}
	g.turn.Unlock()
	return fmt.Errorf("%w: the slice is not one of Alloc's", ErrInvalid)
}
