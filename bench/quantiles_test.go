package bench

import "testing"

func TestQuantiles(t *testing.T) {
	var hundred []float64
	for i := 100; i >= 1; i-- {
		hundred = append(hundred, float64(i))
	}
	cases := map[string]struct {
		times []float64
		want  Quantiles
	}{
		"none":    {nil, Quantiles{}},
		"one":     {[]float64{7}, Quantiles{7, 7, 7, 7, 7}},
		"two":     {[]float64{9, 1}, Quantiles{1, 1, 9, 9, 9}},
		"hundred": {hundred, Quantiles{1, 50, 95, 99, 100}},
	}
	for name, c := range cases {
		if got := quantilesOf(c.times); got != c.want {
			t.Errorf("%s: %+v; want %+v", name, got, c.want)
		}
	}
	if hundred[0] != 100 {
		t.Error("quantilesOf sorted its caller's slice")
	}
}
