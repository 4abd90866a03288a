package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// constants are the broadcast values that one function keeps in registers.
type constants map[operand.Constant]reg.VecVirtual

var constantData = map[operand.Constant]operand.Mem{}

// broadcast emits the load of c into every lane; call it ahead of the loop.
func (k constants) broadcast(s isa, c operand.Constant) {
	if k[c] != nil {
		return
	}
	m, ok := constantData[c]
	if !ok {
		m = build.ConstData(fmt.Sprintf("constant%d", len(constantData)), c)
		constantData[c] = m
	}
	v := s.vector()
	if c.Bytes() == 8 {
		build.VBROADCASTSD(m, v)
	} else {
		build.VBROADCASTSS(m, v)
	}
	k[c] = v
}
