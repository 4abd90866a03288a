package versus

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A row is one line of raw CSV: one configuration at one size in one round.
type row struct {
	Round           string
	Library, Config string
	Ranks           int
	Bytes           int64
	Iters           int
	Min, Median     float64
	P99             float64
	Mean, CPU       float64 // per iteration, CPU of all ranks together
	Wrong           int64
}

// A cell is what rounds are collected for.
type cell struct {
	Library, Config string
	Ranks           int
	Bytes           int64
}

func (c cell) name() string { return c.Library + " " + c.Config }

// samples holds the median of every cell in every round, and what was left out.
type samples struct {
	medians map[cell]map[string]float64 // by round; the mean where there is no barrier between iterations
	cpu     map[cell][]float64
	mean    bool // means, not medians, are what rounds are compared by
	rounds  map[string]bool
	failed  []string // commands that did not end well, as they were noted
	wrong   []row
}

const failedMark = "# failed "

func (s *samples) read(in io.Reader) error {
	if s.medians == nil {
		s.medians, s.cpu, s.rounds = map[cell]map[string]float64{}, map[cell][]float64{}, map[string]bool{}
	}
	scan := bufio.NewScanner(in)
	for line := 1; scan.Scan(); line++ {
		text := scan.Text()
		switch {
		case strings.HasPrefix(text, failedMark):
			s.failed = append(s.failed, strings.TrimPrefix(text, failedMark))
			continue
		case text == "", text[0] == '#', strings.HasPrefix(text, "round,"):
			continue
		}
		r, err := parse(text)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		s.add(r)
	}
	return scan.Err()
}

func (s *samples) add(r row) {
	s.rounds[r.Round] = true
	if r.Wrong != 0 {
		s.wrong = append(s.wrong, r)
		return
	}
	c := cell{r.Library, r.Config, r.Ranks, r.Bytes}
	if s.medians[c] == nil {
		s.medians[c] = map[string]float64{}
	}
	s.medians[c][r.Round] = r.Median
	if s.mean {
		s.medians[c][r.Round] = r.Mean
	}
	s.cpu[c] = append(s.cpu[c], r.CPU)
}

// columns are those of the raw rows.
const columns = "round,position,library,config,ranks,bytes,iters,min_us,median_us,p99_us,wrong,mean_us,cpu_us"

// parse reads a raw row.
func parse(line string) (row, error) {
	f := strings.Split(line, ",")
	if len(f) != 13 {
		return row{}, fmt.Errorf("want 13 fields, have %d", len(f))
	}
	r := row{Round: f[0], Library: f[2], Config: f[3]}
	var first error
	integer := func(s string) int64 {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil && first == nil {
			first = err
		}
		return v
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil && first == nil {
			first = err
		}
		return v
	}
	r.Ranks, r.Bytes, r.Iters = int(integer(f[4])), integer(f[5]), int(integer(f[6]))
	r.Min, r.Median, r.P99, r.Wrong = number(f[7]), number(f[8]), number(f[9]), integer(f[10])
	r.Mean, r.CPU = number(f[11]), number(f[12])
	if first == nil && !(r.Median > 0) {
		first = fmt.Errorf("median %v is not a time", r.Median)
	}
	return r, first
}

// keys returns the sorted distinct values of key over the cells that keep accepts.
func keys[T int | int64 | string](s *samples, keep func(cell) bool, key func(cell) T) []T {
	var out []T
	for c := range s.medians {
		if keep(c) {
			out = append(out, key(c))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// best returns the configuration of a library with the lowest median over its rounds.
func (s *samples) best(library string, ranks int, bytes int64) (cell, bool) {
	var found cell
	lowest := -1.0
	for _, config := range keys(s, func(c cell) bool { return c.Library == library && c.Ranks == ranks && c.Bytes == bytes },
		func(c cell) string { return c.Config }) {
		c := cell{library, config, ranks, bytes}
		if m := s.overall(c); lowest < 0 || m < lowest {
			found, lowest = c, m
		}
	}
	return found, lowest >= 0
}

// overall returns the median over the rounds of a cell.
func (s *samples) overall(c cell) float64 {
	var v []float64
	for _, m := range s.medians[c] {
		v = append(v, m)
	}
	return median(v)
}

// ratios returns peer/subject for each round that has both.
func (s *samples) ratios(peer, subject cell) []float64 {
	var v []float64
	for round, m := range s.medians[peer] {
		if own, ok := s.medians[subject][round]; ok {
			v = append(v, m/own)
		}
	}
	slices.Sort(v)
	return v
}

func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}
