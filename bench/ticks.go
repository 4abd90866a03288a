package bench

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// sizeTicks marks powers of two on a logarithmic axis, as 1K or 64M, and labels
// about ten of them.
type sizeTicks struct{}

// Ticks implements plot.Ticker.
func (sizeTicks) Ticks(lo, hi float64) []plot.Tick {
	first, last := int(math.Ceil(math.Log2(lo))), int(math.Floor(math.Log2(hi)))
	every := max(1, (last-first+9)/10)
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-first)%every == 0 {
			t.Label = FormatSize(1 << max(e, 0))
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// roundTicks marks about six multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(lo, hi float64) []plot.Tick {
	rough := (hi - lo) / 6
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= rough {
			step = factor * power
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		label := strconv.FormatFloat(i*step, 'g', 6, 64)
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label})
	}
	return ticks
}
