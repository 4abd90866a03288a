package mem

import "math/bits"

// slab is one block of a pool, divided into units of a page. Its pool owns it.
type slab struct {
	pool   *Pool
	block  *Block
	memory Memory
	unit   int // bytes
	free   buddies
	slots  []Slot // slots[i] is the slot that begins at unit i
}

// newSlab maps n bytes, unit times a power of two, for p.
func newSlab(p *Pool, n, unit int) (*slab, error) {
	block, err := AllocWith(n, AllocOptions{HugePages: true})
	if err != nil {
		return nil, err
	}
	s := &slab{pool: p, block: block, unit: unit}
	s.free = newBuddies(bits.Len(uint(n/unit)) - 1)
	s.slots = make([]Slot, n/unit)
	for i := range s.slots {
		s.slots[i].slab, s.slots[i].off = s, i*unit
	}
	return s, nil
}

// take returns a slot of unit<<order bytes of which the holder sees n, or nil.
func (s *slab) take(n, order int) *Slot {
	i, ok := s.free.take(order)
	if !ok {
		return nil
	}
	slot := &s.slots[i]
	slot.n, slot.order, slot.out = n, order, true
	return slot
}

// put takes slot back.
func (s *slab) put(slot *Slot) {
	slot.out = false
	s.free.put(slot.off/s.unit, slot.order)
}
