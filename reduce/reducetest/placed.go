package reducetest

import "bytes"

// guardSize is how many bytes on both sides of an operand are watched. It
// exceeds the widest vector store.
const guardSize = 128

var guard = bytes.Repeat([]byte{0xa5}, guardSize)

// placed is an operand between guard bytes.
type placed struct {
	all   []byte
	start int
	n     int
}

// newPlaced copies b to offset start past a guard.
func newPlaced(b []byte, start int) placed {
	p := placed{all: make([]byte, 2*guardSize+start+len(b)), start: guardSize + start, n: len(b)}
	copy(p.all[start:], guard)
	copy(p.bytes(), b)
	copy(p.all[p.start+p.n:], guard)
	return p
}

func (p placed) bytes() []byte { return p.all[p.start : p.start+p.n] }

// guarded reports whether the bytes around the operand are as they were.
func (p placed) guarded() bool {
	return bytes.Equal(p.all[p.start-guardSize:p.start], guard) && bytes.Equal(p.all[p.start+p.n:], guard)
}
