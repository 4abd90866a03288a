package versus

import (
	"encoding/json"
	"io"
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
	all := func(cell) bool { return true }
	for _, ranks := range keys(s, all, func(c cell) int { return c.Ranks }) {
		for _, bytes := range keys(s, func(c cell) bool { return c.Ranks == ranks }, func(c cell) int64 { return c.Bytes }) {
			here := func(c cell) bool { return c.Ranks == ranks && c.Bytes == bytes }
			for _, name := range keys(s, here, func(c cell) string { return c.Library + " " + c.Config }) {
				for c := range s.medians {
					if here(c) && c.Library+" "+c.Config == name {
						out.Cells = append(out.Cells, s.cellOf(c))
					}
				}
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func (s *samples) cellOf(c cell) Cell {
	k := Cell{Library: c.Library, Config: c.Config, Ranks: c.Ranks, Size: c.Bytes, Median: s.overall(c), Rounds: s.medians[c]}
	if c.Library == Subject {
		best, ratios := s.against(Subject, c)
		k.Best, k.Ratios = best.Library+" "+best.Config, ratios
	}
	return k
}
