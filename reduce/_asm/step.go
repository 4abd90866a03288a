package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// step is one pairwise operation on registers.
type step struct {
	name      string
	formats   []string
	wideOnly  bool       // exists in AVX-512 alone
	exact     bool       // the result is one of the operands: no rounding
	constants []Constant // broadcast ahead of the loop
	// emit combines x with y, a register or the memory that fills one.
	emit func(s isa, k constants, x reg.VecVirtual, y Op) reg.VecVirtual
}

var (
	single = []string{"Float32", "F16", "BF16"}
	double = []string{"Float64"}
)

// The quiet NaN that min and max answer.
const (
	nan32 = U32(0x7fc00000)
	nan64 = U64(0x7ff8000000000000)
)

var steps = []step{
	{name: "sum", formats: single, emit: plain(VADDPS)},
	{name: "sum", formats: double, emit: plain(VADDPD)},
	{name: "prod", formats: single, emit: plain(VMULPS)},
	{name: "prod", formats: double, emit: plain(VMULPD)},
	{name: "min", formats: single, exact: true, constants: []Constant{nan32}, emit: extreme32(VMINPS, VORPS, rangeMin)},
	{name: "max", formats: single, exact: true, constants: []Constant{nan32}, emit: extreme32(VMAXPS, VANDPS, rangeMax)},
	{name: "min", formats: double, exact: true, constants: []Constant{nan64}, emit: extreme64(VMINPD, VORPD, rangeMin)},
	{name: "max", formats: double, exact: true, constants: []Constant{nan64}, emit: extreme64(VMAXPD, VANDPD, rangeMax)},

	// Two's complement sums and products do not depend on the sign.
	{name: "sum", formats: []string{"Int8"}, emit: plain(VPADDB)},
	{name: "sum", formats: []string{"Int32"}, emit: plain(VPADDD)},
	{name: "sum", formats: []string{"Int64"}, emit: plain(VPADDQ)},
	{name: "prod", formats: []string{"Int32"}, emit: plain(VPMULLD)},
	{name: "prod", formats: []string{"Int64"}, wideOnly: true, emit: plain(VPMULLQ)},
	{name: "min", formats: []string{"Int8"}, emit: plain(VPMINSB)},
	{name: "max", formats: []string{"Int8"}, emit: plain(VPMAXSB)},
	{name: "min", formats: []string{"Uint8"}, emit: plain(VPMINUB)},
	{name: "max", formats: []string{"Uint8"}, emit: plain(VPMAXUB)},
	{name: "min", formats: []string{"Int32"}, emit: plain(VPMINSD)},
	{name: "max", formats: []string{"Int32"}, emit: plain(VPMAXSD)},
	{name: "min", formats: []string{"Uint32"}, emit: plain(VPMINUD)},
	{name: "max", formats: []string{"Uint32"}, emit: plain(VPMAXUD)},
	{name: "min", formats: []string{"Int64"}, wideOnly: true, emit: plain(VPMINSQ)},
	{name: "max", formats: []string{"Int64"}, wideOnly: true, emit: plain(VPMAXSQ)},
	{name: "min", formats: []string{"Uint64"}, wideOnly: true, emit: plain(VPMINUQ)},
	{name: "max", formats: []string{"Uint64"}, wideOnly: true, emit: plain(VPMAXUQ)},
}

// plain is a step of one instruction.
func plain(instruction func(ops ...Op)) func(isa, constants, reg.VecVirtual, Op) reg.VecVirtual {
	return func(_ isa, _ constants, x reg.VecVirtual, y Op) reg.VecVirtual {
		instruction(y, x, x)
		return x
	}
}

// Immediates of VRANGE: minimum or maximum with the sign of the result, which
// orders -0 below +0.
const (
	rangeMin = U8(0b0100)
	rangeMax = U8(0b0101)
)

// extreme32 is min or max of float32 lanes. VMIN and VMAX answer their second
// operand for two zeros, so AVX2 takes both orders and joins the signs; equal
// nonzero operands are untouched by the join. NaN is blended in at the end.
func extreme32(pick, join func(ops ...Op), choice U8) func(isa, constants, reg.VecVirtual, Op) reg.VecVirtual {
	return func(s isa, k constants, x reg.VecVirtual, y Op) reg.VecVirtual {
		y = register(s, y)
		if s == avx512 {
			nan := K()
			VCMPPS(unordered, y, x, nan)
			VRANGEPS(choice, y, x, x)
			VMOVAPS(k[nan32], nan, x)
			return x
		}
		r, nan := s.vector(), s.vector()
		VCMPPS(unordered, y, x, nan)
		pick(y, x, r)
		pick(x, y, x)
		join(x, r, r)
		VBLENDVPS(nan, k[nan32], r, r)
		return r
	}
}

// extreme64 is extreme32 for float64 lanes.
func extreme64(pick, join func(ops ...Op), choice U8) func(isa, constants, reg.VecVirtual, Op) reg.VecVirtual {
	return func(s isa, k constants, x reg.VecVirtual, y Op) reg.VecVirtual {
		y = register(s, y)
		if s == avx512 {
			nan := K()
			VCMPPD(unordered, y, x, nan)
			VRANGEPD(choice, y, x, x)
			VMOVAPD(k[nan64], nan, x)
			return x
		}
		r, nan := s.vector(), s.vector()
		VCMPPD(unordered, y, x, nan)
		pick(y, x, r)
		pick(x, y, x)
		join(x, r, r)
		VBLENDVPD(nan, k[nan64], r, r)
		return r
	}
}

// register loads y if it lies in memory.
func register(s isa, y Op) Op {
	if m, ok := y.(Mem); ok {
		return loadFull(s, m)
	}
	return y
}
