package bench

import (
	"slices"
	"testing"
)

func TestParseSize(t *testing.T) {
	good := map[string]int{
		"0": 0, "1": 1, "1000": 1000, "1K": 1 << 10, "1k": 1 << 10, "64K": 64 << 10, "1M": 1 << 20,
		"3G": 3 << 30, "1.5M": 3 << 19, "2GiB": 2 << 30, "2GB": 2 << 30, "7b": 7, " 8K ": 8 << 10,
	}
	for text, want := range good {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	bad := []string{"", "K", "10X", "-1", "+1", "1e3", "0x10", "1_000", "1 K", "1KK", "NaN", "Inf", "99999999999G", "9e99", "1K1", "-b"}
	for _, text := range bad {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d; want an error", text, got)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[int]string{0: "0", 4: "4", 1000: "1000", 1 << 10: "1K", 1536: "1536", 3 << 20: "3M", 5 << 30: "5G"} {
		if got := FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %q; want %q", n, got, want)
		}
	}
}

func TestSizesList(t *testing.T) {
	cases := map[string]struct {
		sizes Sizes
		want  []int
	}{
		"factor":            {Sizes{First: 1, Last: 64, Factor: 4}, []int{1, 4, 16, 64}},
		"factor short":      {Sizes{First: 1, Last: 63, Factor: 4}, []int{1, 4, 16}},
		"zero and factor":   {Sizes{First: 0, Last: 64, Factor: 4}, []int{0, 4, 16, 64}},
		"only zero":         {Sizes{First: 0, Last: 0, Factor: 4}, []int{0}},
		"step":              {Sizes{First: 0, Last: 10, Factor: 4, Step: 5}, []int{0, 5, 10}},
		"one":               {Sizes{First: 7, Last: 7, Factor: 2}, []int{7}},
		"up to the largest": {Sizes{First: 1 << 62, Last: 1<<63 - 1, Factor: 2}, []int{1 << 62}},
	}
	for name, c := range cases {
		if got := c.sizes.List(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}

func TestSizesValidate(t *testing.T) {
	if err := (Sizes{First: 1, Last: 2, Factor: 2}).Validate(); err != nil {
		t.Error(err)
	}
	for _, s := range []Sizes{{First: 2, Last: 1, Factor: 2}, {First: 1, Last: 2, Factor: 1}, {First: -1, Last: 1, Factor: 2}, {First: 1, Last: 2, Step: -1}} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// TestListedSizes: what is listed is the series, sorted and without repetitions.
func TestListedSizes(t *testing.T) {
	s := ListSizes([]int{4096, 4, 64, 4})
	if got := s.List(); !slices.Equal(got, []int{4, 64, 4096}) || s.First != 4 || s.Last != 4096 {
		t.Errorf("%v from %d to %d", got, s.First, s.Last)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
