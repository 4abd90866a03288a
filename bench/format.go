package bench

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

// format writes the one element in b for people, with its bits.
func (p pattern) format(b []byte) string {
	var value any
	switch p.typ {
	case reduce.Int8:
		value = mem.SliceOf[int8](b)[0]
	case reduce.Uint8:
		value = b[0]
	case reduce.Int32:
		value = mem.SliceOf[int32](b)[0]
	case reduce.Uint32:
		value = mem.SliceOf[uint32](b)[0]
	case reduce.Int64:
		value = mem.SliceOf[int64](b)[0]
	case reduce.Uint64:
		value = mem.SliceOf[uint64](b)[0]
	case reduce.F16:
		value = mem.SliceOf[reduce.Float16](b)[0].Float32()
	case reduce.BF16:
		value = mem.SliceOf[reduce.BFloat16](b)[0].Float32()
	case reduce.Float32:
		value = mem.SliceOf[float32](b)[0]
	case reduce.Float64:
		value = mem.SliceOf[float64](b)[0]
	}
	return fmt.Sprintf("%v (bytes %x)", value, b)
}
