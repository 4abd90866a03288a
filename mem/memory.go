package mem

import "fmt"

// Kind says which processor can address a Memory, and so which transports can
// send from it without staging.
type Kind uint8

const (
	// Host is ordinary process memory: Go heap, C heap or an anonymous mapping.
	Host Kind = iota
	// Pinned is process memory whose pages the kernel was told to keep resident
	// (mlock). Everything that takes Host takes Pinned.
	Pinned
)

// String returns the lower-case name of k.
func (k Kind) String() string {
	switch k {
	case Host:
		return "host"
	case Pinned:
		return "pinned"
	}
	return fmt.Sprintf("mem.Kind(%d)", uint8(k))
}

// Memory is a contiguous range of bytes and the Kind of place it lies in. It is
// a value: copying it copies the description, never the bytes. The zero Memory
// is empty host memory. Memory does not own what it describes.
type Memory struct {
	b    []byte
	kind Kind
}

// Bytes describes b as host memory. The bytes stay the caller's.
func Bytes(b []byte) Memory { return Memory{b: b} }

// Bytes returns the range as a slice without copying.
func (m Memory) Bytes() []byte { return m.b }

// Len is the length of the range in bytes.
func (m Memory) Len() int { return len(m.b) }

// Kind says where the range lies.
func (m Memory) Kind() Kind { return m.kind }

// Slice returns the n bytes of m that start at off. Like slicing a Go slice it
// panics when the range does not lie within m.
func (m Memory) Slice(off, n int) Memory {
	return Memory{b: m.b[off : off+n : off+n], kind: m.kind}
}
