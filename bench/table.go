package bench

import (
	"fmt"
	"io"
	"strings"
)

// Table prints results as they come, in nccl-tests' columns.
type Table struct {
	w   io.Writer
	err error // the first failure to write
}

// NewTable prints to w.
func NewTable(w io.Writer) *Table { return &Table{w: w} }

// Err is the first error met while printing.
func (t *Table) Err() error { return t.err }

func (t *Table) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// Header prints what is measured, where and how.
func (t *Table) Header(s Setup) {
	t.printf("# %s (ringo %s, %s)\n", s.Program, s.Library, s.Go)
	t.printf("# ranks: %d (%s)\n", s.Ranks, ranksPerHost(s.Hosts))
	t.printf("# transport: %s (%s)\n", s.Transport, s.Why)
	t.printf("# algorithm: %s, sub-chunk %s, depth %d, %s per neighbour\n",
		s.Algorithm, FormatSize(s.SubChunk), s.Depth, plural(s.Conns, "connection"))
	t.printf("# mode: %s (%s); time is the mean over iterations of the slowest rank\n", s.Mode, s.Mode.describe())
	t.printf("# iterations: %d%s, warm-up %d; check: %s; seed %d\n",
		s.Iterations, fewerNote(s), s.WarmUp, onOff(s.Check, "every element", "off"), s.Seed)
	t.printf("# units: sizes in bytes (suffixes K M G are binary), time in us, GB/s is 10^9 bytes per second\n")
	t.printf("# busbw = algbw x 2(P-1)/P for allreduce, (P-1)/P for reducescatter and allgather, 1 otherwise\n")
}

// fewerNote tells about the iterations left out at large sizes, where there are
// such sizes.
func fewerNote(s Setup) string {
	if s.MaxBytes <= fullIterationsUpTo || s.Exact {
		return ""
	}
	return " (fewer above " + FormatSize(fullIterationsUpTo) + ")"
}

// Title starts the rows of one collective.
func (t *Table) Title(c Collective) {
	t.printf("#\n# Collective test starting: %s\n#\n", c)
	t.heading("", "", "", "", "", "       out-of-place            ", "         in-place")
	const bandwidths = "   time   algbw   busbw  #wrong"
	t.heading("size", "count", "type", "redop", "root", bandwidths, bandwidths)
	const units = "   (us)  (GB/s)  (GB/s)        "
	t.heading("(B)", "(elements)", "", "", "", units, units)
}

// heading prints one line of column names.
func (t *Table) heading(size, count, typ, op, root, outOfPlace, inPlace string) {
	text := fmt.Sprintf("# %11s  %12s  %8s  %6s  %6s  %s  %s", size, count, typ, op, root, outOfPlace, inPlace)
	t.printf("%s\n", strings.TrimRight(text, " "))
}

// Row prints one result.
func (t *Table) Row(r Result) {
	t.printf("%13d  %12d  %8s  %6s  %6d", r.Size, r.Count, r.Type, r.Op, r.Root)
	for _, p := range []Placement{r.OutOfPlace, r.InPlace} {
		wrong := "N/A"
		if p.NWrong != nil {
			wrong = fmt.Sprint(*p.NWrong)
		}
		t.printf("  %7s  %6s  %6s  %6s", formatNumber(p.Time, 7), p.AlgBW, p.BusBW, wrong)
	}
	t.printf("\n")
}

// Footer prints the sums.
func (t *Table) Footer(r *Report) {
	if a := r.algorithms(); a != "" {
		t.printf("# Algorithms           : %s\n", a)
	}
	t.printf("# Checked elements     : %d\n", r.Checked())
	t.printf("# Out of bounds values : %d %s\n", r.OutOfBounds.Count, onOff(r.OutOfBounds.Okay, "OK", "FAILED"))
	t.printf("# Avg bus bandwidth    : %s\n", r.AverageBusBandwidth.Bandwidth)
}

// algorithms says which algorithm ran from which size on, collective by
// collective.
func (r *Report) algorithms() string {
	var parts []string
	var last Result
	for _, x := range r.Results {
		if x.Algorithm == "" || x.Algorithm == last.Algorithm && x.Collective == last.Collective {
			continue
		}
		part := x.Algorithm
		if x.Collective != last.Collective {
			part = x.Collective + " " + part
		} else {
			part += " from " + FormatSize(x.Size)
		}
		parts, last = append(parts, part), x
	}
	return strings.Join(parts, ", ")
}

// ranksPerHost tells how many ranks run where, hosts in the order of their
// first rank.
func ranksPerHost(hosts []string) string {
	var order []string
	count := map[string]int{}
	for _, h := range hosts {
		if count[h] == 0 {
			order = append(order, h)
		}
		count[h]++
	}
	for i, h := range order {
		order[i] = fmt.Sprintf("%d on %s", count[h], h)
	}
	return strings.Join(order, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func onOff(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}
