package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// format is how elements of one type lie in memory and in a register.
type format struct {
	name      string
	narrow    bool       // two bytes in memory, a float32 lane in a register
	constants []Constant // needed to store rounded results
	load      func(s isa, m Mem) reg.VecVirtual
	store     func(s isa, k constants, v reg.VecVirtual, m Mem, exact bool)
	quotient  func(ops ...Op) // lane-wise division, nil for integers
	divisor   string          // Go type of the divisor of quotient
}

var formats = []format{
	{name: "Int8", load: loadFull, store: storeFull},
	{name: "Uint8", load: loadFull, store: storeFull},
	{name: "Int32", load: loadFull, store: storeFull},
	{name: "Uint32", load: loadFull, store: storeFull},
	{name: "Int64", load: loadFull, store: storeFull},
	{name: "Uint64", load: loadFull, store: storeFull},
	{name: "Float32", load: loadFull, store: storeFull, quotient: VDIVPS, divisor: "float32"},
	{name: "Float64", load: loadFull, store: storeFull, quotient: VDIVPD, divisor: "float64"},
	{name: "F16", narrow: true, load: loadF16, store: storeF16, quotient: VDIVPS, divisor: "float32"},
	{name: "BF16", narrow: true, constants: []Constant{lowBit, halfway},
		load: loadBF16, store: storeBF16, quotient: VDIVPS, divisor: "float32"},
}

// Constants of the rounding from float32 to bfloat16.
const (
	lowBit  = U32(1)
	halfway = U32(0x7fff)
)

// unordered is the comparison predicate "either operand is NaN".
const unordered = U8(3)

// bytes is the memory that fills one register.
func (f format) bytes(s isa) int {
	if f.narrow {
		return s.width / 2
	}
	return s.width
}

// operand is the second operand of a step: memory where an instruction can take
// it as it lies.
func (f format) operand(s isa, m Mem) Op {
	if f.narrow {
		return f.load(s, m)
	}
	return m
}

func loadFull(s isa, m Mem) reg.VecVirtual {
	v := s.vector()
	VMOVUPS(m, v)
	return v
}

func storeFull(_ isa, _ constants, v reg.VecVirtual, m Mem, _ bool) { VMOVUPS(v, m) }

func loadF16(s isa, m Mem) reg.VecVirtual {
	v := s.vector()
	VCVTPH2PS(m, v)
	return v
}

func storeF16(_ isa, _ constants, v reg.VecVirtual, m Mem, _ bool) {
	const nearestEven = U8(0)
	VCVTPS2PH(nearestEven, v, m)
}

func loadBF16(s isa, m Mem) reg.VecVirtual {
	v := s.vector()
	VPMOVZXWD(m, v)
	VPSLLD(U8(16), v, v)
	return v
}

// storeBF16 rounds to nearest even, or only drops the low half when the value
// is known to be exact. NaN needs no care: made by arithmetic on widened halves
// it is quiet and its low half is zero, so that the rounding does not carry.
func storeBF16(s isa, k constants, v reg.VecVirtual, m Mem, exact bool) {
	if !exact {
		v = roundBF16(s, k, v)
	}
	VPSRLD(U8(16), v, v)
	if s == avx512 {
		VPMOVDW(v, m)
		return
	}
	VPACKUSDW(v, v, v)
	VPERMQ(U8(0x08), v, v)
	VMOVDQU(s.half(v), m)
}

// roundBF16 adds to v what carries into its upper half when that must grow.
func roundBF16(s isa, k constants, v reg.VecVirtual) reg.VecVirtual {
	r := s.vector()
	VPSRLD(U8(16), v, r)
	if s == avx512 {
		VPANDD(k[lowBit], r, r)
	} else {
		VPAND(k[lowBit], r, r)
	}
	VPADDD(k[halfway], r, r)
	VPADDD(v, r, r)
	return r
}
