package versus

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// arbenchFile is the part of arbench's JSON that is needed here.
type arbenchFile struct {
	Results []struct {
		Size    int64 `json:"size"`
		Iters   int   `json:"actual_iterations"`
		Ranks   int   `json:"ranks"`
		InPlace struct {
			Time   float64         `json:"time"`
			NWrong json.RawMessage `json:"nwrong"`
		} `json:"in_place"`
		Min float64 `json:"min_us"`
		P50 float64 `json:"p50_us"`
		P99 float64 `json:"p99_us"`
		CPU float64 `json:"cpu_us"`
	} `json:"results"`
	Errors []json.RawMessage `json:"errors"`
}

// convert prints one raw CSV row per result; like fills the columns that the
// file does not have. A result that was not checked is an error (a time that
// belongs to an unknown sum is worth nothing), and so is one of another number of
// ranks.
func convert(in io.Reader, out io.Writer, like row) error {
	var file arbenchFile
	if err := json.NewDecoder(in).Decode(&file); err != nil {
		return fmt.Errorf("arbench JSON: %w", err)
	}
	for _, r := range file.Results {
		wrong, err := wrongCount(r.InPlace.NWrong)
		if err != nil {
			return fmt.Errorf("arbench JSON: size %d: %w", r.Size, err)
		}
		if r.Ranks != 0 && r.Ranks != like.Ranks {
			return fmt.Errorf("arbench JSON: size %d: %d ranks, want %d", r.Size, r.Ranks, like.Ranks)
		}
		o := like
		o.Bytes, o.Wrong = r.Size, wrong
		o.Min, o.Median, o.P99 = r.Min, r.P50, r.P99
		if r.Iters > 0 {
			o.Iters = r.Iters
		}
		if o.Median <= 0 {
			return fmt.Errorf("arbench JSON: size %d: no p50_us", r.Size)
		}
		fmt.Fprintf(out, "%s,%s,%d,%d,%d,%.2f,%.2f,%.2f,%d,%.2f,%.2f\n", o.Library, o.Config, o.Ranks, o.Bytes, o.Iters, o.Min, o.Median, o.P99, o.Wrong, r.InPlace.Time, r.CPU)
	}
	if len(file.Errors) > 0 {
		return fmt.Errorf("arbench reported: %s", file.Errors[0])
	}
	if len(file.Results) == 0 {
		return fmt.Errorf("arbench JSON: no results")
	}
	return nil
}

// wrongCount takes a number, or the same number as a string.
func wrongCount(raw json.RawMessage) (int64, error) {
	text := string(raw)
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("not checked (in_place.nwrong is %q)", text)
	}
	return int64(n), nil
}
