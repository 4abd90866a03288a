package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set with the size of its vector registers in bytes.
type isa struct {
	name  string
	width int
}

var (
	avx2   = isa{"AVX2", 32}
	avx512 = isa{"AVX512", 64}
)

// vector allocates a virtual vector register.
func (s isa) vector() reg.VecVirtual {
	if s == avx512 {
		return build.ZMM()
	}
	return build.YMM()
}

// half is the register that holds v's lanes at half their size.
func (s isa) half(v reg.VecVirtual) reg.Register {
	if s == avx512 {
		return v.AsY()
	}
	return v.AsX()
}
