package reducetest

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/ringo-ccl/ringo/reduce"
)

// values makes operands of one type, the same ones on every run.
type values struct {
	typ     reduce.Type
	special []uint64
	rand    *rand.Rand
}

func newValues(typ reduce.Type) *values {
	return &values{typ: typ, special: special(typ), rand: rand.New(rand.NewPCG(1, uint64(typ)))}
}

// layout is the number of fraction and exponent bits of a floating point type.
type layout struct{ fraction, exponent int }

var layouts = map[reduce.Type]layout{
	reduce.F16:     {10, 5},
	reduce.BF16:    {7, 8},
	reduce.Float32: {23, 8},
	reduce.Float64: {52, 11},
}

// special lists the bits of the values at which implementations differ.
func special(typ reduce.Type) (bits []uint64) {
	l, float := layouts[typ]
	sign := uint64(1) << (8*typ.Size() - 1)
	if !float {
		return []uint64{0, 1, 2, 3, 0x55, sign - 1, sign, sign + 1, 2*sign - 1, 2*sign - 2}
	}
	unit := uint64(1) << l.fraction
	infinity := (uint64(1)<<l.exponent - 1) * unit
	one := (uint64(1)<<(l.exponent-1) - 1) * unit
	for _, magnitude := range []uint64{
		0, 1, unit / 2, unit - 1, unit, // zero, subnormals, the smallest normal
		one, one + 1, one + unit, // 1, the next after it, 2
		infinity - unit, infinity - 1, infinity, // large, the largest, infinity
		infinity + 1, infinity + unit/2, infinity + unit - 1, // signaling NaN, quiet NaNs
	} {
		bits = append(bits, magnitude, magnitude|sign)
	}
	return bits
}

// isNaN reports whether bits are a NaN of typ.
func isNaN(typ reduce.Type, bits uint64) bool {
	l, float := layouts[typ]
	return float && bits&(1<<(l.fraction+l.exponent)-1) > (1<<l.exponent-1)<<l.fraction
}

// random returns n elements of random bits.
func (v *values) random(n int) []byte {
	b := make([]byte, n*v.typ.Size())
	for i := range b {
		b[i] = byte(v.rand.Uint32())
	}
	return b
}

// mixed returns n elements, a quarter of them special.
func (v *values) mixed(n int) []byte {
	b := v.random(n)
	for i := range n {
		if v.rand.IntN(4) == 0 {
			putBits(v.typ, b, i, v.special[v.rand.IntN(len(v.special))])
		}
	}
	return b
}

// pairs returns all pairs of special values.
func (v *values) pairs() (a, b []byte) {
	n := len(v.special)
	a, b = make([]byte, n*n*v.typ.Size()), make([]byte, n*n*v.typ.Size())
	for i := range n * n {
		putBits(v.typ, a, i, v.special[i/n])
		putBits(v.typ, b, i, v.special[i%n])
	}
	return a, b
}

// bitsAt returns element i of b.
func bitsAt(typ reduce.Type, b []byte, i int) uint64 {
	b = b[i*typ.Size():]
	switch typ.Size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// putBits sets element i of b to the low bits of x.
func putBits(typ reduce.Type, b []byte, i int, x uint64) {
	b = b[i*typ.Size():]
	switch typ.Size() {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(x))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(x))
	default:
		binary.NativeEndian.PutUint64(b, x)
	}
}
