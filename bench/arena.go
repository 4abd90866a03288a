package bench

import (
	"errors"
	"io"

	"github.com/ringo-ccl/ringo/mem"
)

// arena is a rank's two registered buffers, each large enough for the largest
// array of the run. Pages that a run does not touch cost nothing.
type arena struct {
	first, second *mem.Block
	registered    []io.Closer
}

// newArena allocates and registers two buffers of n bytes.
func newArena(g Group, n int) (*arena, error) {
	a := &arena{}
	for _, block := range []**mem.Block{&a.first, &a.second} {
		b, err := mem.Alloc(n)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		*block = b
		if n == 0 {
			continue
		}
		r, err := g.Register(b.Memory())
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.registered = append(a.registered, r)
	}
	return a, nil
}

// Close gives the memory back.
func (a *arena) Close() error {
	var errs []error
	for _, r := range a.registered {
		errs = append(errs, r.Close())
	}
	for _, b := range []*mem.Block{a.first, a.second} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}
