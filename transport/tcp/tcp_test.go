package tcp

import (
	"testing"

	"github.com/ringo-ccl/ringo/transport/transporttest"
)

func config(cfg Config) transporttest.Config { return transporttest.OfDriver(New(cfg)) }

func TestConformance(t *testing.T)     { transporttest.Run(t, config(Config{Listen: "127.0.0.1"})) }
func TestConformanceIPv6(t *testing.T) { transporttest.Run(t, config(Config{Listen: "::1"})) }

func BenchmarkTransport(b *testing.B) { transporttest.Bench(b, config(Config{Listen: "127.0.0.1"})) }
