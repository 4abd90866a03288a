package mem

import "math/bits"

// buddies divides a power of two of units into runs of a power of two by the
// buddy system (Knowlton 1965): a free run is halved until it fits, and two
// free halves of one run become that run again.
//
// It is a complete binary tree in an array: node 1 is all units, the halves of
// node i are 2i and 2i+1, and the leaves are the units. Each node holds one more
// than the order (the log2 of the units) of the largest free run within it, and
// 0 when nothing within it is free. What lies below a run that is handed out is
// not looked at and so stays as it was: free.
type buddies struct {
	largest []uint8
	order   int // of the whole
}

// newBuddies returns 1<<order free units.
func newBuddies(order int) buddies {
	b := buddies{largest: make([]uint8, 2<<order), order: order}
	for i := 1; i < len(b.largest); i++ {
		b.largest[i] = uint8(order + 2 - bits.Len(uint(i)))
	}
	return b
}

// take hands out 1<<order units and returns the first.
func (b *buddies) take(order int) (unit int, ok bool) {
	need := uint8(order + 1)
	if order > b.order || b.largest[1] < need {
		return 0, false
	}
	i := 1
	for range b.order - order {
		left, right := b.largest[2*i], b.largest[2*i+1]
		// Where both halves fit, the one with less to lose.
		if i *= 2; left < need || right >= need && right < left {
			i++
		}
	}
	b.largest[i] = 0
	b.update(i)
	return i<<order - 1<<b.order, true
}

// put takes back the run of 1<<order units that begins at unit.
func (b *buddies) put(unit, order int) {
	i := (1<<b.order + unit) >> order
	b.largest[i] = uint8(order + 1)
	b.update(i)
}

// update makes the nodes above i right after i has changed.
func (b *buddies) update(i int) {
	for i > 1 {
		i /= 2
		left, right := b.largest[2*i], b.largest[2*i+1]
		whole := uint8(b.order + 2 - bits.Len(uint(i)))
		if left == whole-1 && right == whole-1 {
			b.largest[i] = whole
		} else {
			b.largest[i] = max(left, right)
		}
	}
}
