package bench

import (
	"fmt"
	"math"
)

// Bandwidth is a rate in GB/s, with 1 GB = 10^9 bytes. NaN means that the rate
// has no meaning, as for the bus bandwidth of a single rank: it prints as "-"
// and is null in JSON.
type Bandwidth float64

// String writes b the way nccl-tests writes its numbers: two decimals, fewer
// when the number is wide.
func (b Bandwidth) String() string {
	if math.IsNaN(float64(b)) {
		return "-"
	}
	return formatNumber(float64(b), 6)
}

// MarshalJSON writes null for a rate without meaning.
func (b Bandwidth) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(b)) {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%.6g", float64(b)), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (b *Bandwidth) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*b = Bandwidth(math.NaN())
		return nil
	}
	_, err := fmt.Sscan(string(text), (*float64)(b))
	return err
}

// algorithmBandwidth is the rate at which size bytes are done with in micros.
func algorithmBandwidth(size int, micros float64) Bandwidth {
	if size == 0 || micros <= 0 {
		return 0
	}
	return Bandwidth(float64(size) / micros / 1e3)
}

// formatNumber writes v in at most width characters where that is possible:
// with two decimals, one, none, or as an exponent.
func formatNumber(v float64, width int) string {
	for decimals := 2; decimals >= 0; decimals-- {
		if text := fmt.Sprintf("%.*f", decimals, v); len(text) <= width {
			return text
		}
	}
	return fmt.Sprintf("%.1e", v)
}
