package allreduce_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// BenchmarkOverhead is what a collective costs besides communication: a group of
// one rank, which shares memory with itself.
func BenchmarkOverhead(b *testing.B) {
	ctx := context.Background()
	g, err := allreduce.Join(ctx, allreduce.Config{Ranks: 1, Drivers: []transport.Driver{inproc.NewNetwork(inproc.Config{})},
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	x, err := allreduce.Alloc[float32](g, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := allreduce.AllReduce(ctx, g, x, reduce.Sum); err != nil {
			b.Fatal(err)
		}
	}
}
