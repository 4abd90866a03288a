package tcp

import (
	"testing"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

// kill ends a transport as the kernel ends it when its process dies.
func kill(tr transport.Transport) error {
	tr.(*Transport).Kill()
	return nil
}

func config(cfg Config) transporttest.Config {
	job := uint64(0)
	return transporttest.Config{Kill: kill, Open: func(t testing.TB, ranks int) []transport.Transport {
		job++
		var trs []transport.Transport
		for rank := range ranks {
			tr, err := New(cfg).Open(t.Context(), transport.Identity{Job: job, Token: []byte("token"), Rank: rank, Ranks: ranks})
			if err != nil {
				t.Fatal(err)
			}
			trs = append(trs, tr)
		}
		return trs
	}}
}

func TestConformance(t *testing.T)     { transporttest.Run(t, config(Config{Listen: "127.0.0.1"})) }
func TestConformanceIPv6(t *testing.T) { transporttest.Run(t, config(Config{Listen: "::1"})) }

func BenchmarkTransport(b *testing.B) { transporttest.Bench(b, config(Config{Listen: "127.0.0.1"})) }
