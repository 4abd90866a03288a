package reduce_test

import (
	"fmt"
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
)

// sizes are bytes per operand: in the L2 cache, in the L3 cache, in memory.
var sizes = []struct {
	name  string
	bytes int
}{
	{"32K", 32 << 10}, {"256K", 256 << 10}, {"1M", 1 << 20}, {"8M", 8 << 20}, {"64M", 64 << 20}, {"256M", 256 << 20},
}

// page-aligned operands of the largest size, shared by all benchmarks.
var benchA, benchB []byte

func operands(n int) (a, b []byte) {
	if benchA == nil {
		most := sizes[len(sizes)-1].bytes
		benchA, benchB = make([]byte, most), make([]byte, most)
		for i := 0; i < most; i += 4096 {
			benchA[i], benchB[i] = 0, 0 // have the pages
		}
	}
	return benchA[:n], benchB[:n]
}

// BenchmarkSumFloat32 sums in place, dst = b. Its MB/s count the bytes of one
// operand; three times as many move (a and b read, b written).
func BenchmarkSumFloat32(b *testing.B) {
	for _, v := range reduce.Variants(reduce.Sum, reduce.Float32) {
		for _, size := range sizes {
			b.Run(v.Name+"/"+size.name, func(b *testing.B) {
				x, y := operands(size.bytes)
				b.SetBytes(int64(size.bytes))
				for b.Loop() {
					v.Kernel(y, x, y)
				}
			})
		}
	}
}

// BenchmarkKernels is every operation on every type in the L2 cache, in place.
func BenchmarkKernels(b *testing.B) {
	for _, op := range []reduce.Op{reduce.Sum, reduce.Prod, reduce.Min, reduce.Max} {
		for _, t := range reduce.Types() {
			for _, v := range reduce.Variants(op, t) {
				b.Run(fmt.Sprintf("%v/%v/%s", op, t, v.Name), func(b *testing.B) {
					x, y := operands(256 << 10)
					b.SetBytes(int64(len(x)))
					for b.Loop() {
						v.Kernel(y, x, y)
					}
				})
			}
		}
	}
}

// BenchmarkAvgFinish is the closing division on every type in the L2 cache.
func BenchmarkAvgFinish(b *testing.B) {
	for _, t := range reduce.Types() {
		b.Run(t.String(), func(b *testing.B) {
			x, _ := operands(256 << 10)
			finish := reduce.Avg.Finish(t)
			b.SetBytes(int64(len(x)))
			for b.Loop() {
				finish(x, 3)
			}
		})
	}
}
