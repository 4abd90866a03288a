package reduce_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
)

// half is what is independent of the code under test: the layout of a type.
type half struct {
	name     string
	fraction int
	bias     int
	infinity uint16
	quiet    uint16
	convert  func(float32) uint16
	widen    func(uint16) float32
}

var halves = []half{
	{"float16", 10, 15, 0x7c00, 0x0200,
		func(f float32) uint16 { return uint16(reduce.NewFloat16(f)) },
		func(b uint16) float32 { return reduce.Float16(b).Float32() }},
	{"bfloat16", 7, 127, 0x7f80, 0x0040,
		func(f float32) uint16 { return uint16(reduce.NewBFloat16(f)) },
		func(b uint16) float32 { return reduce.BFloat16(b).Float32() }},
}

// decode is the value of finite bits by the definition of the format. Infinity's
// bits give the power of two that rounding takes for it.
func (h half) decode(bits uint16) float64 {
	exponent, fraction := int(bits&0x7fff)>>h.fraction, int(bits)&(1<<h.fraction-1)
	value := math.Ldexp(float64(fraction), 1-h.bias-h.fraction)
	if exponent > 0 {
		value = math.Ldexp(float64(fraction+1<<h.fraction), exponent-h.bias-h.fraction)
	}
	if bits&0x8000 != 0 {
		return -value
	}
	return value
}

// round finds the half nearest to f, the even one of two, by bisection.
func (h half) round(f float32) uint16 {
	x, sign := float64(f), uint16(0)
	if math.Signbit(x) {
		x, sign = -x, 0x8000
	}
	low, high := uint16(0), h.infinity
	if x >= h.decode(high) {
		return sign | high
	}
	for high-low > 1 {
		if middle := (low + high) / 2; h.decode(middle) <= x {
			low = middle
		} else {
			high = middle
		}
	}
	below, above := x-h.decode(low), h.decode(high)-x
	if above < below || above == below && high%2 == 0 {
		return sign | high
	}
	return sign | low
}

func TestHalfWidensEveryValue(t *testing.T) {
	for _, h := range halves {
		for i := range 1 << 16 {
			bits := uint16(i)
			got := float64(h.widen(bits))
			switch magnitude := bits & 0x7fff; {
			case magnitude > h.infinity:
				if !math.IsNaN(got) {
					t.Errorf("%s %#x is %v, want NaN", h.name, bits, got)
				}
				if back := h.convert(h.widen(bits)); back != bits|h.quiet {
					t.Errorf("%s NaN %#x came back as %#x", h.name, bits, back)
				}
				continue
			case magnitude == h.infinity:
				if !math.IsInf(got, 0) || math.Signbit(got) != (bits&0x8000 != 0) {
					t.Errorf("%s %#x is %v, want infinity", h.name, bits, got)
				}
			case got != h.decode(bits):
				t.Errorf("%s %#x is %v, want %v", h.name, bits, got, h.decode(bits))
			}
			if back := h.convert(h.widen(bits)); back != bits {
				t.Errorf("%s %#x came back as %#x", h.name, bits, back)
			}
		}
	}
}

func TestHalfRounding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, h := range halves {
		check := func(f float32) {
			if got, want := h.convert(f), h.round(f); got != want {
				t.Errorf("%s of %v (%#x) is %#x, want %#x", h.name, f, math.Float32bits(f), got, want)
			}
		}
		infinity := float32(math.Inf(1))
		for bits := range h.infinity {
			middle := float32((h.decode(bits) + h.decode(bits+1)) / 2)
			for _, f := range []float32{middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, infinity)} {
				check(f)
				check(-f)
			}
		}
		for range 500_000 {
			if f := math.Float32frombits(random.Uint32()); f == f {
				check(f)
			}
		}
		for _, bits := range []uint32{0x7f800001, 0x7fc00000, 0xff800001, 0xffffffff, 0x7fffffff} {
			got := h.convert(math.Float32frombits(bits))
			if got&0x7fff <= h.infinity || got&h.quiet == 0 || got>>15 != uint16(bits>>31) {
				t.Errorf("%s of NaN %#x is %#x", h.name, bits, got)
			}
		}
	}
}
