package bench

import (
	"math"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

// period is the number of elements after which the input data repeats. It is
// prime, so pieces of a round number of elements that end up in each other's
// place do not go unnoticed, and small enough to compute a period of the result
// in a moment on every rank.
const period = 262139

// pattern makes the input data of one collective call. Every rank can compute
// every other rank's input, and so the result, without talking to anyone.
//
// Floating-point input is chosen such that every partial result is exact in any
// order of operations: sums of up to 256 ranks and products of any number are,
// in every type. Integers use all their bits and wrap.
type pattern struct {
	typ   reduce.Type
	op    reduce.Op // the zero Op where elements are only moved
	ranks int
	seed  uint64
}

// fill writes rank's input from element 0 on; dst is at most a period long.
func (p pattern) fill(dst []byte, rank int) {
	switch p.typ {
	case reduce.Int8:
		fillIntegers(p, mem.SliceOf[int8](dst), rank)
	case reduce.Uint8:
		fillIntegers(p, mem.SliceOf[uint8](dst), rank)
	case reduce.Int32:
		fillIntegers(p, mem.SliceOf[int32](dst), rank)
	case reduce.Uint32:
		fillIntegers(p, mem.SliceOf[uint32](dst), rank)
	case reduce.Int64:
		fillIntegers(p, mem.SliceOf[int64](dst), rank)
	case reduce.Uint64:
		fillIntegers(p, mem.SliceOf[uint64](dst), rank)
	case reduce.F16:
		fillFloats(p, mem.SliceOf[reduce.Float16](dst), rank, func(v float64) reduce.Float16 { return reduce.NewFloat16(float32(v)) })
	case reduce.BF16:
		fillFloats(p, mem.SliceOf[reduce.BFloat16](dst), rank, func(v float64) reduce.BFloat16 { return reduce.NewBFloat16(float32(v)) })
	case reduce.Float32:
		fillFloats(p, mem.SliceOf[float32](dst), rank, func(v float64) float32 { return float32(v) })
	case reduce.Float64:
		fillFloats(p, mem.SliceOf[float64](dst), rank, func(v float64) float64 { return v })
	}
}

// fillIntegers uses random bits; odd ones for products, which would otherwise
// soon be 0.
func fillIntegers[T int8 | uint8 | int32 | uint32 | int64 | uint64](p pattern, dst []T, rank int) {
	var odd T
	if p.op == reduce.Prod {
		odd = 1
	}
	for i := range dst {
		dst[i] = T(p.bits(rank, i)>>8) | odd
	}
}

func fillFloats[T any](p pattern, dst []T, rank int, from func(float64) T) {
	value := p.integer
	if p.op == reduce.Prod {
		value = p.power
	}
	for i := range dst {
		dst[i] = from(value(rank, i))
	}
}

// integer is a whole number so small that the type holds the sum of all ranks'
// numbers exactly. Minimum and maximum need no such care, yet do no worse.
func (p pattern) integer(rank, i int) float64 {
	largest := max(1, exactIntegers(p.typ)/p.ranks)
	span := uint64(2*largest + 1)
	return float64(p.bits(rank, i)>>16%span) - float64(largest)
}

// exactIntegers is the size up to which t holds every integer; for wide types a
// number that is large enough.
func exactIntegers(t reduce.Type) int {
	switch t {
	case reduce.BF16:
		return 1 << 8
	case reduce.F16:
		return 1 << 11
	case reduce.Float32:
		return 1 << 24
	}
	return 1 << 50
}

// power is 1, 2 or 1/2 with either sign. At each index at most eight ranks, a
// different eight from index to index, hold another magnitude than 1, so that
// every product lies between 2^-8 and 2^8.
func (p pattern) power(rank, i int) float64 {
	h := p.bits(rank, i)
	exponent := 0
	if slot := (uint64(rank) + mix(p.seed^uint64(i))) % uint64(p.ranks); slot < 8 {
		exponent = 1 - int(h>>20&1)*2
	}
	return math.Ldexp(1-float64(h>>21&1)*2, exponent)
}

// bits are 64 random bits for rank's element i.
func (p pattern) bits(rank, i int) uint64 {
	return mix(mix(p.seed+uint64(rank)*0x9e3779b97f4a7c15) ^ uint64(i))
}

// mix is the finalizer of the SplitMix64 generator (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
