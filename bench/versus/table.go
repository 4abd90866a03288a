package versus

import (
	"fmt"
	"io"
	"strings"

	"github.com/ringo-ccl/ringo/bench"
)

// write prints the tables, one per number of ranks and configuration of the subject.
func write(out io.Writer, s samples, subject, what string) error {
	if len(s.medians) == 0 && len(s.failed) == 0 && len(s.wrong) == 0 {
		return fmt.Errorf("no rows")
	}
	iteration := "median iteration (slowest rank)"
	if s.mean {
		iteration = "mean iteration (slowest rank)"
	}
	fmt.Fprintf(out, "%s; rounds: %d. Times are medians over rounds of the %s, in µs.\n", what, len(s.rounds), iteration)
	fmt.Fprintf(out, "A peer is shown with its best configuration for that size; the ratio is peer/%s, paired within a round: median [min–max], above 1 where %s is faster.\n", subject, subject)
	all := func(cell) bool { return true }
	for _, ranks := range keys(&s, all, func(c cell) int { return c.Ranks }) {
		configs := keys(&s, func(c cell) bool { return c.Library == subject && c.Ranks == ranks }, func(c cell) string { return c.Config })
		if len(configs) == 0 {
			configs = []string{""} // peers alone
		}
		for _, config := range configs {
			table(out, &s, subject, config, ranks)
		}
	}
	leftOut(out, &s)
	return nil
}

func table(out io.Writer, s *samples, subject, config string, ranks int) {
	here := func(c cell) bool { return c.Ranks == ranks }
	peers := keys(s, func(c cell) bool { return here(c) && c.Library != subject }, func(c cell) string { return c.Library })
	title := subject
	if config != "" {
		title += " (" + config + ")"
	}
	fmt.Fprintf(out, "\n**P = %d**\n\n| size | %s |", ranks, title)
	for _, p := range peers {
		fmt.Fprintf(out, " %s | %s/%s |", p, p, subject)
	}
	fmt.Fprintf(out, " best peer/%s | | CPU s/GB, best peer |\n|---|---|%s---|---|---|\n", subject, strings.Repeat("---|---|", len(peers)))
	for _, bytes := range keys(s, here, func(c cell) int64 { return c.Bytes }) {
		own := cell{subject, config, ranks, bytes}
		fmt.Fprintf(out, "| %s | %s |", bench.FormatSize(int(bytes)), timing(s, own))
		for _, p := range peers {
			c, ok := s.best(p, ranks, bytes)
			if !ok {
				fmt.Fprint(out, " - | - |")
				continue
			}
			fmt.Fprintf(out, " %s %s | %s |", timing(s, c), c.Config, spread(s.ratios(c, own), len(s.rounds)))
		}
		best, b := s.against(subject, own)
		fmt.Fprintf(out, " %s | %s | %s, %s |\n", spread(b, len(s.rounds)), verdict(b), s.cpuPerGB(own), s.cpuPerGB(best))
	}
}

// cpuPerGB is what a cell's ranks used of processors, waiting included, for each
// 10^9 bytes of the array.
func (s *samples) cpuPerGB(c cell) string {
	if len(s.cpu[c]) == 0 || c.Bytes < 1<<16 {
		return "-"
	}
	return fmt.Sprintf("%.2f", median(append([]float64(nil), s.cpu[c]...))*1e3/float64(c.Bytes))
}

// against returns the best peer and, round by round, its time by own's. The best
// peer is the configuration, of any library, with the lowest median over the rounds.
func (s *samples) against(subject string, own cell) (best cell, ratios []float64) {
	lowest := -1.0
	for _, lib := range keys(s, func(c cell) bool { return c.Ranks == own.Ranks && c.Bytes == own.Bytes && c.Library != subject },
		func(c cell) string { return c.Library }) {
		if c, ok := s.best(lib, own.Ranks, own.Bytes); ok && (lowest < 0 || s.overall(c) < lowest) {
			best, lowest = c, s.overall(c)
		}
	}
	return best, s.ratios(best, own)
}

// verdict is a word for sorted ratios: even when the rounds do not agree and the
// median is within 5 %.
func verdict(ratios []float64) string {
	switch {
	case len(ratios) == 0:
		return "-"
	case ratios[0] > 1 || median(ratios) >= 1.05:
		return "ahead"
	case ratios[len(ratios)-1] < 1 || median(ratios) <= 0.95:
		return "behind"
	}
	return "even"
}

func timing(s *samples, c cell) string {
	if len(s.medians[c]) == 0 {
		return "-"
	}
	v := s.overall(c)
	if v < 1000 {
		return fmt.Sprintf("%.4g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// spread expects sorted ratios; it says how many rounds they are when not all.
func spread(r []float64, rounds int) string {
	if len(r) == 0 {
		return "-"
	}
	text := fmt.Sprintf("x%.2f [%.2f–%.2f]", median(r), r[0], r[len(r)-1])
	if len(r) < rounds {
		text += fmt.Sprintf(" n=%d", len(r))
	}
	return text
}

func leftOut(out io.Writer, s *samples) {
	if len(s.wrong)+len(s.failed) == 0 {
		return
	}
	fmt.Fprint(out, "\nLeft out:\n\n")
	for _, r := range s.wrong {
		fmt.Fprintf(out, "- %s %s, P = %d, %s, round %s: %d wrong elements\n", r.Library, r.Config, r.Ranks, bench.FormatSize(int(r.Bytes)), r.Round, r.Wrong)
	}
	for _, f := range s.failed {
		fmt.Fprintf(out, "- failed: %s\n", f)
	}
}
