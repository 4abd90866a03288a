package reduce

import "math"

// Float16 is the bits of an IEEE 754 binary16 number: sign, 5 bits of exponent,
// 10 bits of fraction.
type Float16 uint16

// NewFloat16 rounds f to nearest even. What rounds beyond 65504 becomes an
// infinity; a NaN stays a NaN, made quiet, with the top of its payload.
func NewFloat16(f float32) Float16 {
	const (
		infinity  = 0x7f800000
		overflow  = 0x477ff000 // 65520, the first to round to infinity
		minNormal = 0x38800000 // 2^-14
		half      = 0x3f000000 // 0.5: its last bit is binary16's smallest number
		rebias    = (127 - 15) << 23
	)
	bits := math.Float32bits(f)
	sign := Float16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	switch {
	case bits > infinity:
		return sign | 0x7e00 | Float16(bits>>13&0x3ff)
	case bits >= overflow:
		return sign | 0x7c00
	case bits < minNormal:
		// The addition rounds at the right bit and leaves it at the bottom.
		sum := math.Float32frombits(bits) + 0.5
		return sign | Float16(math.Float32bits(sum)-half)
	}
	bits += 0xfff + bits>>13&1 // carries into the exponent as it should
	return sign | Float16((bits-rebias)>>13)
}

// Float32 converts f exactly. A NaN becomes quiet and keeps its payload.
func (f Float16) Float32() float32 {
	const (
		rebias   = (127 - 15) << 23
		smallest = 1.0 / (1 << 24)
	)
	sign := uint32(f&0x8000) << 16
	magnitude := uint32(f & 0x7fff)
	switch {
	case magnitude > 0x7c00:
		return math.Float32frombits(sign | 0x7fc00000 | magnitude<<13)
	case magnitude == 0x7c00:
		return math.Float32frombits(sign | 0x7f800000)
	case magnitude < 0x0400:
		return math.Float32frombits(sign | math.Float32bits(float32(magnitude)*smallest))
	}
	return math.Float32frombits(sign | (magnitude<<13 + rebias))
}
