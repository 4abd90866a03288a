package inproc_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

// suite joins Networks of one configuration to the conformance suite.
func suite(cfg inproc.Config) transporttest.Config {
	return transporttest.Config{
		Open: func(t testing.TB, ranks int) []transport.Transport { return open(t, cfg, ranks) },
		Kill: func(tr transport.Transport) error { tr.(*inproc.Transport).Kill(); return nil },
	}
}

// open makes a job of so many ranks on a Network of its own.
func open(t testing.TB, cfg inproc.Config, ranks int) []transport.Transport {
	t.Helper()
	n := inproc.NewNetwork(cfg)
	trs := make([]transport.Transport, ranks)
	for i := range trs {
		var err error
		if trs[i], err = n.Open(context.Background(), transport.Identity{Rank: i, Ranks: ranks}); err != nil {
			t.Fatal(err)
		}
	}
	return trs
}

func TestConformance(t *testing.T) {
	for _, cfg := range []inproc.Config{
		{},
		{QueueDepth: 4},
		{Latency: 10 * time.Microsecond, Bandwidth: 2e9, QueueDepth: 7},
	} {
		t.Run(fmt.Sprintf("%v,%g,%d", cfg.Latency, cfg.Bandwidth, cfg.QueueDepth), func(t *testing.T) {
			transporttest.Run(t, suite(cfg))
		})
	}
}

func BenchmarkTransport(b *testing.B) { transporttest.Bench(b, suite(inproc.Config{})) }
