package mem

import "unsafe"

// Of describes the elements of s as host memory, in this machine's byte order.
// The elements stay the caller's. T must hold no pointers; the collectives'
// element types do not.
func Of[T any](s []T) Memory {
	if len(s) == 0 {
		return Memory{}
	}
	return Bytes(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}

// SliceOf views b as elements of T without copying; the view covers
// len(b)/sizeof(T) elements. b must be aligned for T on machines that fault on
// unaligned access; amd64 and arm64 do not.
func SliceOf[T any](b []byte) []T {
	var z T
	n := len(b) / int(unsafe.Sizeof(z))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// Contains reports whether inner lies wholly within outer, and at which byte
// offset.
func Contains(outer, inner Memory) (off int, ok bool) {
	if len(inner.b) == 0 || len(outer.b) == 0 {
		return 0, false
	}
	o, i := uintptr(unsafe.Pointer(&outer.b[0])), uintptr(unsafe.Pointer(&inner.b[0]))
	if i < o || i+uintptr(len(inner.b)) > o+uintptr(len(outer.b)) {
		return 0, false
	}
	return int(i - o), true
}

// Overlap reports whether a and b share at least one byte.
func Overlap(a, b Memory) bool {
	if len(a.b) == 0 || len(b.b) == 0 {
		return false
	}
	p, q := uintptr(unsafe.Pointer(&a.b[0])), uintptr(unsafe.Pointer(&b.b[0]))
	return p < q+uintptr(len(b.b)) && q < p+uintptr(len(a.b))
}
