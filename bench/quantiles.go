package bench

import (
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// Quantiles describes the times of single iterations, each that of its slowest
// rank, in microseconds. A percentile is the smallest time that at least so
// many percent of the iterations do not exceed.
type Quantiles struct {
	Min float64 `json:"min_us"`
	P50 float64 `json:"p50_us"`
	P95 float64 `json:"p95_us"`
	P99 float64 `json:"p99_us"`
	Max float64 `json:"max_us"`
}

// quantilesOf sorts a copy of times; no times give zeros.
func quantilesOf(times []float64) Quantiles {
	if len(times) == 0 {
		return Quantiles{}
	}
	sorted := slices.Sorted(slices.Values(times))
	at := func(p float64) float64 { return stat.Quantile(p, stat.Empirical, sorted, nil) }
	return Quantiles{Min: sorted[0], P50: at(0.50), P95: at(0.95), P99: at(0.99), Max: sorted[len(sorted)-1]}
}

// microseconds converts d without rounding.
func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
