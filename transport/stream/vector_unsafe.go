package stream

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// vector is a list of byte ranges for one gathering write or scattering read.
type vector struct {
	iov   [2 * gatherFrames]unix.Iovec
	n     int // ranges
	bytes int // their sum
	msg   message
}

func (v *vector) reset() {
	clear(v.iov[:v.n]) // do not keep the user's memory alive
	v.n, v.bytes = 0, 0
}

// add appends b; empty ranges are left out.
func (v *vector) add(b []byte) {
	if len(b) == 0 {
		return
	}
	v.iov[v.n].Base = &b[0]
	v.iov[v.n].SetLen(len(b))
	v.n++
	v.bytes += len(b)
}

// copyFrom fills the ranges from b and returns how much fit.
func (v *vector) copyFrom(b []byte) int {
	total := 0
	for i := range v.iov[:v.n] {
		total += copy(v.at(i), b[total:])
	}
	return total
}

func (v *vector) at(i int) []byte { return unsafe.Slice(v.iov[i].Base, int(v.iov[i].Len)) }
