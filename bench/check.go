package bench

import (
	"bytes"
	"fmt"

	"github.com/ringo-ccl/ringo/reduce"
)

// checker fills inputs from a pattern and compares results with it, in extra
// memory of two periods at most, whatever the size of the buffers.
type checker struct {
	pattern
	want, next []byte // scratch: a period of elements each
}

// finding is the outcome of comparing elements.
type finding struct {
	checked, wrong int64
	first          string // describes the first wrong element
}

func (f *finding) add(g finding) {
	f.checked += g.checked
	f.wrong += g.wrong
	if f.first == "" {
		f.first = g.first
	}
}

// newChecker prepares for arrays of total elements.
func newChecker(p pattern, total int) *checker {
	n := min(total, period) * p.typ.Size()
	return &checker{pattern: p, want: make([]byte, n), next: make([]byte, n)}
}

// input fills dst with rank's elements of the array, from index first on.
func (c *checker) input(dst []byte, rank, first int) {
	c.fill(c.want, rank)
	c.tile(dst, first, func(part, from []byte, _ int) { copy(part, from) })
}

// reduced compares got with the reduction of all ranks' elements from index
// first on.
func (c *checker) reduced(got []byte, first int) finding {
	kernel, err := reduce.Reference(c.op, c.typ)
	if err != nil {
		return finding{wrong: int64(len(got)), first: err.Error()}
	}
	c.fill(c.want, 0)
	for rank := 1; rank < c.ranks; rank++ {
		c.fill(c.next, rank)
		kernel(c.want, c.want, c.next)
	}
	if finish := reduce.ReferenceFinish(c.op, c.typ); finish != nil {
		finish(c.want, c.ranks)
	}
	return c.compare(got, first)
}

// moved compares got with rank's own elements from index first on.
func (c *checker) moved(got []byte, rank, first int) finding {
	c.fill(c.want, rank)
	return c.compare(got, first)
}

// compare holds got against the period in c.want.
func (c *checker) compare(got []byte, first int) finding {
	size := c.typ.Size()
	f := finding{checked: int64(len(got) / size)}
	c.tile(got, first, func(part, want []byte, index int) {
		if bytes.Equal(part, want) {
			return
		}
		for i := 0; i < len(part); i += size {
			if g, w := part[i:i+size], want[i:i+size]; !bytes.Equal(g, w) {
				f.wrong++
				if f.first == "" {
					f.first = fmt.Sprintf("element %d is %s, want %s", index+i/size, c.format(g), c.format(w))
				}
			}
		}
	})
	return f
}

// tile cuts buf, whose first element has the given index in the array, where
// the pattern repeats, and calls do with each part, the equally long part of
// c.want that belongs to it, and the index of its first element.
func (c *checker) tile(buf []byte, first int, do func(part, want []byte, index int)) {
	size := c.typ.Size()
	for len(buf) > 0 {
		want := c.want[first%period*size:]
		n := min(len(buf), len(want))
		do(buf[:n], want[:n], first)
		buf, first = buf[n:], first+n/size
	}
}
