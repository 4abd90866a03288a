package mem

// Stats says how a Pool stands. All numbers but Slots are bytes.
type Stats struct {
	// Limit is the most that the pool maps, Mapped what it has mapped, and
	// Pinned how much of that is pinned.
	Limit, Mapped, Pinned int
	// InUse is what the slots take that are out, as powers of two, and Peak the
	// most that it ever was.
	InUse, Peak int
	// Slots is the number of slots that are out.
	Slots int
	// PinError says why not all that is mapped is pinned. It is nil where all is
	// and where pinning was not asked for.
	PinError error
}

// took counts a slot of n bytes that went out.
func (s *Stats) took(n int) {
	s.Slots++
	s.InUse += n
	s.Peak = max(s.Peak, s.InUse)
}

// gave counts a slot of n bytes that came back.
func (s *Stats) gave(n int) {
	s.Slots--
	s.InUse -= n
}
