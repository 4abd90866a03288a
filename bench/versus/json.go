package versus

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// Cell is one configuration at one size, for JSON.
type Cell struct {
	Library string             `json:"library"`
	Config  string             `json:"config"`
	Ranks   int                `json:"ranks"`
	Size    int64              `json:"size"`
	Median  float64            `json:"median_us"` // over rounds
	Rounds  map[string]float64 `json:"rounds_us"` // by round
	// Best is, for ringo, the best peer's configuration, and Ratios its time by
	// ringo's, in each round that has both, ascending.
	Best   string    `json:"best_peer,omitempty"`
	Ratios []float64 `json:"ratios,omitempty"`
}

// JSON writes all cells, and what was left out.
func (r *Results) JSON(w io.Writer) error {
	s := &r.samples
	out := struct {
		Measured string   `json:"measured"`
		Units    string   `json:"units"`
		Cells    []Cell   `json:"cells"`
		Missing  []string `json:"missing"`
		Failed   []string `json:"failed"`
	}{Measured: r.what, Units: "sizes in bytes, times in microseconds", Missing: r.missing, Failed: s.failed}
	cells := slices.SortedFunc(maps.Keys(s.medians), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.name(), b.name()))
	})
	for _, c := range cells {
		out.Cells = append(out.Cells, s.cellOf(c))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func (s *samples) cellOf(c cell) Cell {
	k := Cell{Library: c.Library, Config: c.Config, Ranks: c.Ranks, Size: c.Bytes, Median: s.overall(c), Rounds: s.medians[c]}
	if c.Library == Subject {
		best, ratios := s.against(Subject, c)
		k.Best, k.Ratios = best.name(), ratios
	}
	return k
}
