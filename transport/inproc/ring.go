package inproc

// ring is a first-in first-out queue that keeps its storage, so that at steady
// state pushing does not allocate. The zero ring is empty.
type ring[T any] struct {
	slots []T // its length is zero or a power of two
	head  int
	n     int
}

func (r *ring[T]) len() int { return r.n }

// front is the oldest element, which must exist.
func (r *ring[T]) front() *T { return &r.slots[r.head] }

func (r *ring[T]) push(v T) {
	if r.n == len(r.slots) {
		r.grow()
	}
	r.slots[(r.head+r.n)&(len(r.slots)-1)] = v
	r.n++
}

// pop removes the oldest element, which must exist.
func (r *ring[T]) pop() T {
	var zero T
	v := r.slots[r.head]
	r.slots[r.head] = zero
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.n--
	return v
}

func (r *ring[T]) grow() {
	slots := make([]T, max(16, 2*len(r.slots)))
	n := copy(slots, r.slots[r.head:])
	copy(slots[n:], r.slots[:r.head])
	r.slots, r.head = slots, 0
}
