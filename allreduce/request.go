package allreduce

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// Request describes a collective on untyped memory. For n elements a rank and P
// ranks:
//
//	AllReduce      Src n, Dst n          Dst == Src is in place
//	ReduceScatter  Src P·n, Dst n        Dst == Src's block of this rank is in place
//	AllGather      Src n, Dst P·n        Src == Dst's block of this rank is in place
//	Broadcast      Src n on Root, Dst n  Dst == Src is in place
//
// Any other overlap is an error. Both must stay untouched until the collective
// ends, and Src of an operation that is not in place is never written.
type Request struct {
	Collective schedule.Collective
	Type       reduce.Type
	Op         reduce.Op // ignored by AllGather and Broadcast
	Dst, Src   mem.Memory
	Root       int // the rank that has the data of a Broadcast; ignored otherwise
}

// barrierCollective marks, in a fingerprint, the one-byte AllReduce that is a
// barrier.
const barrierCollective = 255

// shape is what a valid Request amounts to.
type shape struct {
	count  int // elements, as the collective counts them
	kernel reduce.Kernel
	finish func([]byte, int)
}

func (g *Group) shape(r *Request) (s shape, err error) {
	size := r.Type.Size()
	if size == 0 {
		return s, fmt.Errorf("%w: element type %v", ErrInvalid, r.Type)
	}
	big, small := g.bigAndSmall(r)
	switch r.Collective {
	case schedule.AllReduce:
		if r.Dst.Len() != r.Src.Len() {
			return s, fmt.Errorf("%w: allreduce from %d bytes to %d; both must be as long", ErrInvalid, r.Src.Len(), r.Dst.Len())
		}
	case schedule.Broadcast:
		if r.Root < 0 || r.Root >= g.c.Ranks {
			return s, fmt.Errorf("%w: broadcast from rank %d of %d", ErrInvalid, r.Root, g.c.Ranks)
		}
		if big.Len() != small.Len() {
			return s, fmt.Errorf("%w: broadcast from %d bytes to %d; both must be as long", ErrInvalid, r.Src.Len(), r.Dst.Len())
		}
	case schedule.ReduceScatter, schedule.AllGather:
		if big.Len() != small.Len()*g.c.Ranks {
			return s, fmt.Errorf("%w: %v between %d bytes and %d; with %d ranks the long buffer must be %d times the short one",
				ErrInvalid, r.Collective, small.Len(), big.Len(), g.c.Ranks, g.c.Ranks)
		}
	default:
		return s, fmt.Errorf("%w: collective %v", ErrInvalid, r.Collective)
	}
	if small.Len()%size != 0 {
		return s, fmt.Errorf("%w: %d bytes are no whole number of %v elements", ErrInvalid, small.Len(), r.Type)
	}
	s.count = small.Len() / size
	if _, err = g.placement(r.Collective, big, small); err != nil {
		return s, err
	}
	if !r.Collective.Reduces() {
		return s, nil
	}
	if s.kernel, err = r.Op.Kernel(r.Type); err != nil {
		return s, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	s.finish = r.Op.Finish(r.Type)
	return s, nil
}

// bigAndSmall are r's buffers: of collectives with blocks, the one that holds all
// and the one that holds this rank's. A Broadcast's source counts on its root
// only; elsewhere the result stands in for it.
func (g *Group) bigAndSmall(r *Request) (big, small mem.Memory) {
	switch {
	case r.Collective == schedule.ReduceScatter:
		return r.Src, r.Dst
	case r.Collective == schedule.Broadcast && r.Root != g.c.Rank:
		return r.Dst, r.Dst
	}
	return r.Dst, r.Src
}

// placement says whether the short buffer is exactly this rank's part of the
// long one, and refuses every other overlap.
func (g *Group) placement(c schedule.Collective, big, small mem.Memory) (inPlace bool, err error) {
	if !mem.Overlap(big, small) {
		return false, nil
	}
	want := 0
	if c.Blocks() {
		want = g.c.Rank * small.Len()
	}
	if off, ok := mem.Contains(big, small); ok && off == want {
		return true, nil
	}
	return false, fmt.Errorf("%w: source and result of %v overlap, but not in the one way that is in place", ErrInvalid, c)
}

// Registration is memory that was registered once and is used by every
// collective on buffers inside it.
type Registration struct {
	g      *Group
	region transport.MemoryRegion
}

// Register prepares m for collectives: buffers that lie inside it cost no set-up
// and no allocation. m must stay valid until the Registration is closed. Register
// waits for a running collective.
func (g *Group) Register(m mem.Memory) (*Registration, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	if err := g.dead(); err != nil {
		return nil, err
	}
	region, err := g.tr.Register(m)
	if err != nil {
		return nil, err
	}
	r := &Registration{g, region}
	g.registered = append(g.registered, r)
	return r, nil
}

// RegisterSlice is Register for a slice of elements.
func RegisterSlice[T reduce.Number](g *Group, x []T) (*Registration, error) {
	return g.Register(mem.Of(x))
}

// Close ends the registration. The memory stays the caller's. It waits for a
// running collective.
func (r *Registration) Close() error {
	r.g.turn.Lock()
	defer r.g.turn.Unlock()
	if r.g.closed { // with the group
		return nil
	}
	for i, have := range r.g.registered {
		if have == r {
			r.g.registered = append(r.g.registered[:i], r.g.registered[i+1:]...)
			return r.region.Close()
		}
	}
	return fmt.Errorf("%w: registration closed twice", ErrInvalid)
}

// private is memory that no transport needs to know: that of a plan without
// messages, between ranks that cannot address what they have not allocated.
type private struct{ m mem.Memory }

func (p *private) Memory() mem.Memory { return p.m }

func (p *private) Close() error { return nil }

// regionOf finds the registration that holds m, or registers m for one operation.
// spare takes m where that is not needed.
func (g *Group) regionOf(m mem.Memory, spare *private) (region transport.MemoryRegion, off int, temporary bool, err error) {
	if m.Len() == 0 {
		return nil, 0, false, nil // no part of it is ever used
	}
	for _, b := range g.buffers {
		if off, ok := mem.Contains(b.memory, m); ok {
			return b.region, off, false, nil
		}
	}
	if spare != nil && (m.Kind() == mem.Host || m.Kind() == mem.Pinned) {
		spare.m = m
		return spare, 0, false, nil
	}
	for _, r := range g.registered {
		if off, ok := mem.Contains(r.region.Memory(), m); ok {
			return r.region, off, false, nil
		}
	}
	region, err = g.tr.Register(m)
	return region, 0, true, err
}

// keepsPrivate says that r's plan sends no messages and that registering memory
// would not make it one that others can address.
func (g *Group) keepsPrivate(j *pipeline.Job) bool {
	return g.share != nil && g.direct == nil && !g.sharesAll && j.Program.Direct()
}
