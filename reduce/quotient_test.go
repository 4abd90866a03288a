package reduce

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
)

// checkQuotients compares every implementation of the closing division on T with
// divide, its meaning for one element.
func checkQuotients[T Number](t *testing.T, divide func(x T, ranks int) T) {
	t.Helper()
	typ, random := TypeOf[T](), rand.New(rand.NewPCG(3, 4))
	guard := bytes.Repeat([]byte{0xa5}, 64)
	for variant, finish := range quotients(typ) {
		for n := range 300 {
			for _, start := range []int{0, 1} {
				ranks := 1 + random.IntN(300)
				want := make([]T, n)
				raw := mem.Of(want).Bytes()
				for i := range raw {
					raw[i] = byte(random.Uint32())
				}
				all := append(append(make([]byte, start), raw...), guard...)
				x := all[start : start+len(raw)]
				finish(x, ranks)
				for i := range want {
					want[i] = divide(want[i], ranks)
					got := mem.SliceOf[T](x)[i]
					if got != want[i] && (got == got || want[i] == want[i]) && !halfNaN(got, want[i]) {
						t.Fatalf("%v variant %d, %d elements, element %d over %d ranks: %v, want %v", typ, variant, n, i, ranks, got, want[i])
					}
				}
				if !bytes.Equal(all[start+len(raw):], guard) {
					t.Fatalf("%v variant %d, %d elements: wrote past the end", typ, variant, n)
				}
			}
		}
	}
}

// halfNaN reports whether x and y are half numbers and both NaN.
func halfNaN[T Number](x, y T) bool {
	switch x := any(x).(type) {
	case Float16:
		return math.IsNaN(float64(x.Float32())) && math.IsNaN(float64(any(y).(Float16).Float32()))
	case BFloat16:
		return math.IsNaN(float64(x.Float32())) && math.IsNaN(float64(any(y).(BFloat16).Float32()))
	}
	return false
}

func TestQuotients(t *testing.T) {
	checkQuotients(t, func(x int8, ranks int) int8 { return int8(int(x) / ranks) })
	checkQuotients(t, func(x uint8, ranks int) uint8 { return uint8(int(x) / ranks) })
	checkQuotients(t, func(x int32, ranks int) int32 { return x / int32(ranks) })
	checkQuotients(t, func(x uint32, ranks int) uint32 { return x / uint32(ranks) })
	checkQuotients(t, func(x int64, ranks int) int64 { return x / int64(ranks) })
	checkQuotients(t, func(x uint64, ranks int) uint64 { return x / uint64(ranks) })
	checkQuotients(t, func(x float32, ranks int) float32 { return x / float32(ranks) })
	checkQuotients(t, func(x float64, ranks int) float64 { return x / float64(ranks) })
	checkQuotients(t, func(x Float16, ranks int) Float16 { return NewFloat16(x.Float32() / float32(ranks)) })
	checkQuotients(t, func(x BFloat16, ranks int) BFloat16 { return NewBFloat16(x.Float32() / float32(ranks)) })
}

func TestQuotientExamples(t *testing.T) {
	x := []int8{-7, 7, -128, 127}
	Avg.Finish(Int8)(mem.Of(x).Bytes(), 200)
	if [4]int8(x) != [4]int8{} {
		t.Errorf("over 200 ranks: %v, want zeros", x)
	}
	x = []int8{-7, 7, -128, 127}
	Avg.Finish(Int8)(mem.Of(x).Bytes(), 2)
	if [4]int8(x) != [4]int8{-3, 3, -64, 63} {
		t.Errorf("halves %v are not truncated toward zero", x)
	}
	for _, op := range []Op{Sum, Prod, Min, Max, {}} {
		if op.Finish(Float32) != nil {
			t.Errorf("%v has a finish", op)
		}
	}
	if Avg.Finish(0) != nil || Avg.Finish(numTypes) != nil {
		t.Error("an invalid type has a finish")
	}
}
