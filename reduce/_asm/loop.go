package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// block is the granularity of every kernel in bytes; the Go side finishes
	// what is shorter.
	block = 64
	// unroll is how many registers one round of the main loop fills.
	unroll = 4
)

// pairwise emits func(dst, a, b *byte, n int): dst = a ∘ b over n bytes, n a
// multiple of block.
func (s isa) pairwise(p step, f format) {
	name := p.name + f.name + s.name
	TEXT(name, NOSPLIT, "func(dst, a, b *byte, n int)")
	Doc(fmt.Sprintf("%s combines n bytes, a multiple of %d.", name, block))
	Pragma("noescape")
	k := constants{}
	for _, c := range p.constants {
		k.broadcast(s, c)
	}
	if !p.exact {
		for _, c := range f.constants {
			k.broadcast(s, c)
		}
	}
	dst, a, b := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	round := func(registers int) {
		results := make([]reg.VecVirtual, registers)
		for i := range results {
			results[i] = f.load(s, at(a, i*f.bytes(s)))
		}
		for i := range results {
			results[i] = p.emit(s, k, results[i], f.operand(s, at(b, i*f.bytes(s))))
		}
		for i, v := range results {
			f.store(s, k, v, at(dst, i*f.bytes(s)), p.exact)
		}
	}
	loop("main", unroll*f.bytes(s), n, round, unroll, a, b, dst)
	if unroll*f.bytes(s) > block {
		loop("rest", block, n, round, block/f.bytes(s), a, b, dst)
	}
	VZEROUPPER()
	RET()
}

// quotients emits func(x *byte, n int, by float): x /= by over n bytes, n a
// multiple of block.
func (s isa) quotients(f format) {
	name := "quotient" + f.name + s.name
	TEXT(name, NOSPLIT, "func(x *byte, n int, by "+f.divisor+")")
	Doc(fmt.Sprintf("%s divides n bytes, a multiple of %d.", name, block))
	Pragma("noescape")
	k := constants{}
	for _, c := range f.constants {
		k.broadcast(s, c)
	}
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	by, scalar := s.vector(), Load(Param("by"), XMM())
	if f.divisor == "float64" {
		VBROADCASTSD(scalar, by)
	} else {
		VBROADCASTSS(scalar, by)
	}
	round := func(registers int) {
		for i := range registers {
			m := at(x, i*f.bytes(s))
			v := f.load(s, m)
			f.quotient(by, v, v)
			f.store(s, k, v, m, false)
		}
	}
	loop("main", block, n, round, block/f.bytes(s), x)
	VZEROUPPER()
	RET()
}

// loop emits rounds while chunk bytes are left of n, moving the pointers along.
func loop(name string, chunk int, n Op, round func(registers int), registers int, pointers ...reg.Register) {
	SUBQ(U32(chunk), n)
	JL(LabelRef(name + "Done"))
	align()
	Label(name)
	round(registers)
	for _, p := range pointers {
		ADDQ(U32(chunk), p)
	}
	SUBQ(U32(chunk), n)
	JGE(LabelRef(name))
	Label(name + "Done")
	ADDQ(U32(chunk), n)
}

// align places the loop that follows at the start of a cache line.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{U8(64)}})
}

func at(base reg.Register, offset int) Mem { return Mem{Base: base, Disp: offset} }
