package allreduce_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport"
)

// BenchmarkAllReduce is two ranks in one process, on registered memory; bytes are
// those of one rank's buffer.
func BenchmarkAllReduce(b *testing.B) {
	for name, driver := range drivers() {
		for _, n := range []int{1, 1 << 14, 1 << 18, 1 << 22} {
			b.Run(fmt.Sprintf("%s/%dB", name, 4*n), func(b *testing.B) {
				b.SetBytes(int64(4 * n))
				b.ReportAllocs()
				for rank, err := range world(b, 2, allreduce.Config{Drivers: []transport.Driver{driver()}}, func(ctx context.Context, g *allreduce.Group) error {
					x := make([]float32, n)
					reg, err := allreduce.RegisterSlice(g, x)
					if err != nil {
						return err
					}
					defer reg.Close()
					if err := g.Barrier(ctx); err != nil {
						return err
					}
					if g.Rank() == 0 {
						b.ResetTimer()
					}
					for range b.N {
						if err := allreduce.AllReduce(ctx, g, x, reduce.Max); err != nil {
							return err
						}
					}
					return nil
				}) {
					if err != nil {
						b.Fatalf("rank %d: %v", rank, err)
					}
				}
			})
		}
	}
}
