package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// slots is the scratch memory of a Runner: equal pieces of pool memory, each
// registered once.
type slots struct {
	all  []slot
	free []int16
}

type slot struct {
	mem    *mem.Slot
	region transport.MemoryRegion
}

func newSlots(tr transport.Transport, pool *mem.Pool, n, size int) (*slots, error) {
	s := &slots{}
	for range n {
		m, err := pool.Get(size)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("pipeline: %d scratch slots of %d bytes: %w", n, size, err)
		}
		s.all = append(s.all, slot{mem: m})
		r, err := tr.Register(m.Memory())
		if err != nil {
			s.close()
			return nil, fmt.Errorf("pipeline: register scratch: %w", err)
		}
		s.all[len(s.all)-1].region = r
	}
	s.free = make([]int16, 0, n)
	s.reset()
	return s, nil
}

// reset takes all slots back, for the start of a run.
func (s *slots) reset() {
	s.free = s.free[:0]
	for i := range s.all {
		s.free = append(s.free, int16(i))
	}
}

// take returns a free slot, the most recently used first: it is still in the
// cache.
func (s *slots) take() (int16, bool) {
	if len(s.free) == 0 {
		return 0, false
	}
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return i, true
}

func (s *slots) put(i int16) { s.free = append(s.free, i) }

func (s *slots) bytes(i int16, n int) []byte { return s.all[i].mem.Bytes()[:n] }

// close gives the memory back. Regions that a dead transport still holds are
// closed with it.
func (s *slots) close() error {
	var first error
	for _, sl := range s.all {
		if sl.region != nil {
			if err := sl.region.Close(); err != nil && first == nil {
				first = err
			}
		}
		sl.mem.Release()
	}
	s.all, s.free = nil, nil
	return first
}
