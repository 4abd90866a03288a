package reduce

import (
	"math"

	"github.com/ringo-ccl/ringo/mem"
)

type integer interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64
}

type float interface{ float32 | float64 }

// generic returns the specification of o on t in plain Go.
func generic(o operation, t Type) Kernel {
	switch t {
	case Int8:
		return integers[int8](o)
	case Uint8:
		return integers[uint8](o)
	case Int32:
		return integers[int32](o)
	case Uint32:
		return integers[uint32](o)
	case Int64:
		return integers[int64](o)
	case Uint64:
		return integers[uint64](o)
	case F16:
		return float16s(o)
	case BF16:
		return bfloat16s(o)
	case Float32:
		return floats[float32](o)
	}
	return floats[float64](o)
}

// elements turns a loop over elements into a Kernel. The loops check that a and
// b are as long as dst once more, which frees their bodies of bounds checks.
func elements[T Number](loop func(dst, a, b []T)) Kernel {
	return func(dst, a, b []byte) {
		checkLengths(dst, a, b)
		loop(mem.SliceOf[T](dst), mem.SliceOf[T](a), mem.SliceOf[T](b))
	}
}

func integers[T integer](o operation) Kernel {
	return elements([numOperations]func(dst, a, b []T){
		sum:  add[T],
		prod: multiply[T],
		least: func(dst, a, b []T) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = min(a[i], b[i])
			}
		},
		greatest: func(dst, a, b []T) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = max(a[i], b[i])
			}
		},
	}[o])
}

func floats[T float](o operation) Kernel {
	return elements([numOperations]func(dst, a, b []T){
		sum:  add[T],
		prod: multiply[T],
		least: func(dst, a, b []T) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = quiet(min(a[i], b[i]))
			}
		},
		greatest: func(dst, a, b []T) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = quiet(max(a[i], b[i]))
			}
		},
	}[o])
}

func float16s(o operation) Kernel {
	step := steps[o]
	return elements(func(dst, a, b []Float16) {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = NewFloat16(step(a[i].Float32(), b[i].Float32()))
		}
	})
}

func bfloat16s(o operation) Kernel {
	step := steps[o]
	return elements(func(dst, a, b []BFloat16) {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = NewBFloat16(step(a[i].Float32(), b[i].Float32()))
		}
	})
}

// steps are the operations on two half numbers widened to float32.
var steps = [numOperations]func(x, y float32) float32{
	sum:      func(x, y float32) float32 { return x + y },
	prod:     func(x, y float32) float32 { return x * y },
	least:    func(x, y float32) float32 { return quiet(min(x, y)) },
	greatest: func(x, y float32) float32 { return quiet(max(x, y)) },
}

func add[T integer | float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func multiply[T integer | float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// quiet replaces any NaN by the canonical one. The conversion from float32 to T
// widens it to the same NaN.
func quiet[T float](x T) T {
	if x != x {
		return T(math.Float32frombits(0x7fc00000))
	}
	return x
}
