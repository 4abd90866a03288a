package reduce_test

import (
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/reduce/reducetest"
)

func TestVariants(t *testing.T) {
	for _, op := range reduce.Ops() {
		for _, typ := range reduce.Types() {
			for _, v := range reduce.Variants(op, typ) {
				reducetest.Run(t, op.String()+"/"+typ.String()+"/"+v.Name, op, typ, v.Kernel)
			}
		}
	}
}

func TestKernelRefusesDifferentLengths(t *testing.T) {
	for _, v := range reduce.Variants(reduce.Sum, reduce.Float32) {
		for short := range 3 {
			operands := [3][]byte{make([]byte, 64), make([]byte, 64), make([]byte, 64)}
			operands[short] = operands[short][:60]
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: operand %d of 60 bytes among 64 accepted", v.Name, short)
					}
				}()
				v.Kernel(operands[0], operands[1], operands[2])
			}()
		}
	}
}

func TestKernelDoesNotAllocate(t *testing.T) {
	a, b := make([]byte, 1000), make([]byte, 1000)
	for _, op := range reduce.Ops() {
		for _, typ := range reduce.Types() {
			for _, v := range reduce.Variants(op, typ) {
				if n := testing.AllocsPerRun(10, func() { v.Kernel(b, a, b) }); n != 0 {
					t.Errorf("%v %v %s: %v allocations", op, typ, v.Name, n)
				}
			}
			if n := testing.AllocsPerRun(10, func() { op.Kernel(typ) }); n != 0 {
				t.Errorf("Kernel of %v %v: %v allocations", op, typ, n)
			}
			if finish := op.Finish(typ); finish != nil {
				if n := testing.AllocsPerRun(10, func() { finish(a, 3) }); n != 0 {
					t.Errorf("Finish of %v %v: %v allocations", op, typ, n)
				}
			}
		}
	}
}
