package reduce

import "fmt"

// Kernel computes dst[i] = a[i] ∘ b[i]; a comes from earlier ranks than b. All
// three have the same length, a multiple of the element size; dst may be exactly
// a or exactly b, or overlap neither. Any alignment. A Kernel does not allocate,
// keeps no slice and may run in several goroutines at once. It panics when the
// lengths differ, with *PanicError when a user's operation panics.
type Kernel func(dst, a, b []byte)

// Variant is one implementation of an operation on a type.
type Variant struct {
	// Name is "generic", "avx2" or "avx512".
	Name   string
	Kernel Kernel
}

// Kernel returns the fastest variant of op on t for this processor, or an error
// when op or t is invalid or op was made for another type. It does not allocate
// unless it fails.
func (op Op) Kernel(t Type) (Kernel, error) {
	v, err := op.on(t)
	if err != nil {
		return nil, err
	}
	return v[len(v)-1].Kernel, nil
}

// Reference returns the generic kernel of op on t, which is the specification
// that all variants are tested against. Errors as Op.Kernel.
func Reference(op Op, t Type) (Kernel, error) {
	v, err := op.on(t)
	if err != nil {
		return nil, err
	}
	return v[0].Kernel, nil
}

// Variants lists every implementation of op on t that this processor can run,
// slowest first, for tests and benchmarks. It is empty when there is none.
func Variants(op Op, t Type) []Variant {
	v, err := op.on(t)
	if err != nil {
		return nil
	}
	return append([]Variant(nil), v...)
}

// checkLengths panics when a kernel's operands differ in length.
func checkLengths(dst, a, b []byte) {
	if len(a) != len(dst) || len(b) != len(dst) {
		panic(fmt.Sprintf("reduce: kernel operands of %d, %d and %d bytes", len(dst), len(a), len(b)))
	}
}
