package reduce_test

import (
	"math"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

// apply runs every variant of op on a and b, padded so that vector code takes
// part, and returns the result that they share.
func apply[T reduce.Number](t *testing.T, op reduce.Op, a, b T) T {
	t.Helper()
	const n = 100
	as, bs, dst := make([]T, n), make([]T, n), make([]T, n)
	for i := range n {
		as[i], bs[i] = a, b
	}
	for i, v := range reduce.Variants(op, reduce.TypeOf[T]()) {
		first := dst[0]
		v.Kernel(mem.Of(dst).Bytes(), mem.Of(as).Bytes(), mem.Of(bs).Bytes())
		for _, got := range dst {
			if got != dst[0] && dst[0] == dst[0] || i > 0 && dst[0] != first && first == first {
				t.Fatalf("%v %s: %v ∘ %v is %v and %v", op, v.Name, a, b, got, first)
			}
		}
	}
	return dst[0]
}

func same[T reduce.Number](t *testing.T, op reduce.Op, a, b, want T) {
	t.Helper()
	if got := apply(t, op, a, b); got != want {
		t.Errorf("%v of %v and %v is %v, want %v", op, a, b, got, want)
	}
}

func TestIntegersWrap(t *testing.T) {
	same[int8](t, reduce.Sum, 127, 1, -128)
	same[uint8](t, reduce.Sum, 255, 2, 1)
	same[int32](t, reduce.Sum, math.MaxInt32, 1, math.MinInt32)
	same[uint32](t, reduce.Prod, 1<<31+1, 2, 2)
	same[int64](t, reduce.Sum, math.MinInt64, -1, math.MaxInt64)
	same[uint64](t, reduce.Prod, 1<<63+3, 2, 6)
	same[int8](t, reduce.Prod, -128, -1, -128)
}

func TestIntegerOrder(t *testing.T) {
	same[int8](t, reduce.Min, -1, 1, -1)
	same[uint8](t, reduce.Min, 255, 1, 1)
	same[int32](t, reduce.Max, -1, 1, 1)
	same[uint32](t, reduce.Max, math.MaxUint32, 1, math.MaxUint32)
	same[int64](t, reduce.Max, -1, 1, 1)
	same[uint64](t, reduce.Min, math.MaxUint64, 1, 1)
}

func TestHalfSteps(t *testing.T) {
	one := reduce.NewFloat16(1)
	same(t, reduce.Sum, reduce.NewFloat16(2048), one, reduce.NewFloat16(2048)) // tie to even
	same(t, reduce.Sum, reduce.NewFloat16(2050), one, reduce.NewFloat16(2052)) // tie to even
	same(t, reduce.Sum, reduce.NewFloat16(65504), reduce.NewFloat16(16), reduce.Float16(0x7c00))
	same[reduce.Float16](t, reduce.Sum, 1, 1, 2) // subnormals
	same(t, reduce.Sum, reduce.NewBFloat16(256), reduce.NewBFloat16(1), reduce.NewBFloat16(256))
	same(t, reduce.Sum, reduce.NewBFloat16(258), reduce.NewBFloat16(1), reduce.NewBFloat16(260))
	same[reduce.BFloat16](t, reduce.Sum, 1, 1, 2)
	same(t, reduce.Prod, reduce.NewBFloat16(3), reduce.NewBFloat16(5), reduce.NewBFloat16(15))
	same(t, reduce.Prod, reduce.NewFloat16(-3), reduce.NewFloat16(5), reduce.NewFloat16(-15))
}

func TestFloatOrder(t *testing.T) {
	zero, nan := float32(0), float32(math.NaN())
	negative := float32(math.Copysign(0, -1))
	wide := func(f float32) []uint64 {
		return []uint64{
			uint64(math.Float32bits(f)), math.Float64bits(float64(f)),
			uint64(reduce.NewFloat16(f)), uint64(reduce.NewBFloat16(f)),
		}
	}
	result := func(op reduce.Op, a, b float32) []uint64 {
		return []uint64{
			uint64(math.Float32bits(apply(t, op, a, b))),
			math.Float64bits(apply(t, op, float64(a), float64(b))),
			uint64(apply(t, op, reduce.NewFloat16(a), reduce.NewFloat16(b))),
			uint64(apply(t, op, reduce.NewBFloat16(a), reduce.NewBFloat16(b))),
		}
	}
	canonical := []uint64{0x7fc00000, 0x7ff8000000000000, 0x7e00, 0x7fc0}
	for _, c := range []struct {
		op   reduce.Op
		a, b float32
		want []uint64
	}{
		{reduce.Min, zero, negative, wide(negative)},
		{reduce.Max, zero, negative, wide(zero)},
		{reduce.Min, negative, negative, wide(negative)},
		{reduce.Max, negative, negative, wide(negative)},
		{reduce.Min, -1, 2, wide(-1)},
		{reduce.Max, -1, 2, wide(2)},
		{reduce.Min, nan, 1, canonical},
		{reduce.Max, -nan, 1, canonical},
		{reduce.Max, nan, -nan, canonical},
	} {
		for _, order := range [][2]float32{{c.a, c.b}, {c.b, c.a}} {
			got := result(c.op, order[0], order[1])
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("%v of %v: format %d is %#x, want %#x", c.op, order, i, got[i], c.want[i])
				}
			}
		}
	}
}

func TestNaNSpreads(t *testing.T) {
	for _, op := range []reduce.Op{reduce.Sum, reduce.Prod, reduce.Avg} {
		if got := apply(t, op, math.NaN(), 1); got == got {
			t.Errorf("%v of NaN and 1 is %v", op, got)
		}
		if got := apply(t, op, reduce.NewBFloat16(1), reduce.NewBFloat16(float32(math.NaN()))); got&0x7fff <= 0x7f80 {
			t.Errorf("%v of 1 and NaN is bfloat16 %#x", op, got)
		}
		if got := apply(t, op, reduce.NewFloat16(1), reduce.NewFloat16(float32(math.NaN()))); got&0x7fff <= 0x7c00 {
			t.Errorf("%v of 1 and NaN is float16 %#x", op, got)
		}
	}
}
