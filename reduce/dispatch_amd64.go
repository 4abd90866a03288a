//go:build amd64 && !purego

package reduce

import "golang.org/x/sys/cpu"

// block is what the assembly kernels count in, in bytes; the generic code does
// what is shorter.
const block = 64

// assembly computes dst = a ∘ b over n bytes, a multiple of block.
type assembly func(dst, a, b *byte, n int)

// instructions is one instruction set and what is written for it.
type instructions struct {
	name       string
	usable     bool
	kernels    [numOperations][numTypes]assembly
	quotient32 [numTypes]func(x *byte, n int, by float32)
	quotient64 [numTypes]func(x *byte, n int, by float64)
}

// instructionSets is ordered slowest first.
var instructionSets = []*instructions{
	{
		name:   "avx2",
		usable: cpu.X86.HasAVX2 && cpu.X86.HasF16C,
		kernels: [numOperations][numTypes]assembly{
			sum: {
				Int8: sumInt8AVX2, Uint8: sumInt8AVX2,
				Int32: sumInt32AVX2, Uint32: sumInt32AVX2,
				Int64: sumInt64AVX2, Uint64: sumInt64AVX2,
				F16: sumF16AVX2, BF16: sumBF16AVX2,
				Float32: sumFloat32AVX2, Float64: sumFloat64AVX2,
			},
			prod: {
				Int32: prodInt32AVX2, Uint32: prodInt32AVX2,
				F16: prodF16AVX2, BF16: prodBF16AVX2,
				Float32: prodFloat32AVX2, Float64: prodFloat64AVX2,
			},
			least: {
				Int8: minInt8AVX2, Uint8: minUint8AVX2,
				Int32: minInt32AVX2, Uint32: minUint32AVX2,
				F16: minF16AVX2, BF16: minBF16AVX2,
				Float32: minFloat32AVX2, Float64: minFloat64AVX2,
			},
			greatest: {
				Int8: maxInt8AVX2, Uint8: maxUint8AVX2,
				Int32: maxInt32AVX2, Uint32: maxUint32AVX2,
				F16: maxF16AVX2, BF16: maxBF16AVX2,
				Float32: maxFloat32AVX2, Float64: maxFloat64AVX2,
			},
		},
		quotient32: [numTypes]func(*byte, int, float32){
			F16: quotientF16AVX2, BF16: quotientBF16AVX2, Float32: quotientFloat32AVX2,
		},
		quotient64: [numTypes]func(*byte, int, float64){Float64: quotientFloat64AVX2},
	},
	{
		name:   "avx512",
		usable: cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ,
		kernels: [numOperations][numTypes]assembly{
			sum: {
				Int8: sumInt8AVX512, Uint8: sumInt8AVX512,
				Int32: sumInt32AVX512, Uint32: sumInt32AVX512,
				Int64: sumInt64AVX512, Uint64: sumInt64AVX512,
				F16: sumF16AVX512, BF16: sumBF16AVX512,
				Float32: sumFloat32AVX512, Float64: sumFloat64AVX512,
			},
			prod: {
				Int32: prodInt32AVX512, Uint32: prodInt32AVX512,
				Int64: prodInt64AVX512, Uint64: prodInt64AVX512,
				F16: prodF16AVX512, BF16: prodBF16AVX512,
				Float32: prodFloat32AVX512, Float64: prodFloat64AVX512,
			},
			least: {
				Int8: minInt8AVX512, Uint8: minUint8AVX512,
				Int32: minInt32AVX512, Uint32: minUint32AVX512,
				Int64: minInt64AVX512, Uint64: minUint64AVX512,
				F16: minF16AVX512, BF16: minBF16AVX512,
				Float32: minFloat32AVX512, Float64: minFloat64AVX512,
			},
			greatest: {
				Int8: maxInt8AVX512, Uint8: maxUint8AVX512,
				Int32: maxInt32AVX512, Uint32: maxUint32AVX512,
				Int64: maxInt64AVX512, Uint64: maxUint64AVX512,
				F16: maxF16AVX512, BF16: maxBF16AVX512,
				Float32: maxFloat32AVX512, Float64: maxFloat64AVX512,
			},
		},
		quotient32: [numTypes]func(*byte, int, float32){
			F16: quotientF16AVX512, BF16: quotientBF16AVX512, Float32: quotientFloat32AVX512,
		},
		quotient64: [numTypes]func(*byte, int, float64){Float64: quotientFloat64AVX512},
	},
}

// vector returns the assembly variants of o on t that this processor can run.
func vector(o operation, t Type) (found []Variant) {
	for _, set := range instructionSets {
		if f := set.kernels[o][t]; f != nil && set.usable {
			found = append(found, Variant{set.name, f.kernel(generic(o, t))})
		}
	}
	return found
}

// kernel runs f over whole blocks and rest over the end.
func (f assembly) kernel(rest Kernel) Kernel {
	return func(dst, a, b []byte) {
		checkLengths(dst, a, b)
		n := len(dst) &^ (block - 1)
		if n > 0 {
			f(&dst[0], &a[0], &b[0], n)
		}
		if n < len(dst) {
			rest(dst[n:], a[n:], b[n:])
		}
	}
}

// vectorQuotients returns the assembly of the closing division on t; rest
// divides the end.
func vectorQuotients(t Type, rest finisher) (found []finisher) {
	for _, set := range instructionSets {
		if set.usable && set.quotient32[t] != nil {
			found = append(found, blockwise(set.quotient32[t], rest))
		}
		if set.usable && set.quotient64[t] != nil {
			found = append(found, blockwise(set.quotient64[t], rest))
		}
	}
	return found
}

func blockwise[T float](f func(x *byte, n int, by T), rest finisher) finisher {
	return func(x []byte, ranks int) {
		n := len(x) &^ (block - 1)
		if n > 0 {
			f(&x[0], n, T(ranks))
		}
		rest(x[n:], ranks)
	}
}
