package bench

import (
	"errors"
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
)

// Placement of user memory: where a run's buffers lie.
type Kind string

// The kinds of buffers that can be measured.
const (
	// Registered buffers come from the group, which knows what is best.
	Registered Kind = "registered"
	// Ordinary buffers are private memory that the group has not seen before.
	Ordinary Kind = "ordinary"
	// Huge buffers are ordinary ones in huge pages.
	Huge Kind = "huge"
)

// ParseKind reads the name of a Kind.
func ParseKind(name string) (Kind, error) {
	switch k := Kind(name); k {
	case Registered, Ordinary, Huge:
		return k, nil
	}
	return "", fmt.Errorf("%q is no kind of memory; use registered, ordinary or huge", name)
}

// arena is a rank's two buffers, each large enough for the largest array of the
// run.
type arena struct{ first, second Buffer }

// newArena allocates two buffers of n bytes.
func newArena(g Group, kind Kind, n int) (*arena, error) {
	a := &arena{}
	for _, buffer := range []*Buffer{&a.first, &a.second} {
		b, err := allocate(g, kind, n)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		*buffer = b
	}
	return a, nil
}

func allocate(g Group, kind Kind, n int) (Buffer, error) {
	if kind == Registered || kind == "" {
		return g.Alloc(n)
	}
	return mem.AllocWith(n, mem.AllocOptions{HugePages: kind == Huge})
}

// Close gives the memory back.
func (a *arena) Close() error {
	var errs []error
	for _, b := range []Buffer{a.first, a.second} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}
