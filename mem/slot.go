package mem

// Slot is a range of a Pool that its holder owns until Release. It begins on a
// page boundary. What it holds at first is whatever the last holder left.
//
// Release twice, and any use after Release, are bugs of the holder and would
// end in a wrong sum, so they panic, in tests and elsewhere. A pool hands out
// the same Slot again, without allocating; from then on a forgotten pointer to
// it cannot be told from the new holder's.
type Slot struct {
	slab  *slab
	off   int // within the slab
	n     int // as asked for; at most unit<<order
	order int
	out   bool
}

// Memory describes the slot's bytes, as many as Get was asked for.
func (s *Slot) Memory() Memory {
	s.mustBeOut("used after its release")
	return s.slab.memory.Slice(s.off, s.n)
}

// Bytes returns the slot's bytes.
func (s *Slot) Bytes() []byte { return s.Memory().Bytes() }

// Slab describes the memory of which the slot is a part. A slab stays where it
// is until the pool is closed, so it needs to be registered only once.
func (s *Slot) Slab() Memory {
	s.mustBeOut("used after its release")
	return s.slab.memory
}

// Offset is where in its slab the slot begins, in bytes.
func (s *Slot) Offset() int {
	s.mustBeOut("used after its release")
	return s.off
}

// Release gives the slot back to its pool. Any goroutine may call it, once.
func (s *Slot) Release() { s.slab.pool.put(s) }

// mustBeOut panics, with what the holder did wrong, when nobody holds s.
func (s *Slot) mustBeOut(wrong string) {
	if !s.out {
		panic("mem: slot " + wrong)
	}
}
