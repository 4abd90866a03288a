package bench

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// WriteJSON writes r as one indented JSON document.
func WriteJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// csvHeader names the columns of WriteCSV.
var csvHeader = []string{
	"collective", "ranks", "transport", "algorithm", "mode", "size", "count", "type", "redop", "root", "iterations",
	"oop_time_us", "oop_algbw_gbps", "oop_busbw_gbps", "oop_wrong",
	"ip_time_us", "ip_algbw_gbps", "ip_busbw_gbps", "ip_wrong",
	"min_us", "p50_us", "p95_us", "p99_us", "max_us",
}

// WriteCSV writes the rows of r under one line of column names. Bandwidths are
// in 10^9 bytes per second; a cell without meaning is empty.
func WriteCSV(w io.Writer, r *Report) error {
	c := csv.NewWriter(w)
	if err := c.Write(csvHeader); err != nil {
		return err
	}
	for _, row := range r.Results {
		if err := c.Write(csvRow(row)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func csvRow(r Result) []string {
	cells := []string{
		r.Collective, strconv.Itoa(r.Ranks), r.Transport, r.Algorithm, string(r.Mode),
		strconv.Itoa(r.Size), strconv.Itoa(r.Count), r.Type, r.Op, strconv.Itoa(r.Root), strconv.Itoa(r.Iterations),
	}
	for _, p := range []Placement{r.OutOfPlace, r.InPlace} {
		cells = append(cells, csvNumber(p.Time), csvNumber(float64(p.AlgBW)), csvNumber(float64(p.BusBW)))
		if p.NWrong == nil {
			cells = append(cells, "")
		} else {
			cells = append(cells, strconv.FormatInt(*p.NWrong, 10))
		}
	}
	for _, v := range []float64{r.Min, r.P50, r.P95, r.P99, r.Max} {
		cells = append(cells, csvNumber(v))
	}
	return cells
}

func csvNumber(v float64) string {
	if v != v { // NaN
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
