package reduce

import "math"

// BFloat16 is the upper 16 bits of a float32: sign, 8 bits of exponent, 7 bits
// of fraction.
type BFloat16 uint16

// NewBFloat16 rounds f to nearest even. What rounds beyond the largest finite
// number becomes an infinity; a NaN stays a NaN, made quiet, with the top of its
// payload.
func NewBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if f != f {
		return BFloat16(bits>>16 | 0x0040)
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 converts f exactly.
func (f BFloat16) Float32() float32 { return math.Float32frombits(uint32(f) << 16) }
