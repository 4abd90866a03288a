package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/bench/versus"
)

const versusUsage = `arbench --vs PEERS measures beside other libraries: each one's benchmark and
ringo's in turn, several rounds, and ratios within a round.

  --vs LIST         openmpi, mpich, gloo, baidu, nccl, separated by commas; or all
  -np LIST          numbers of ranks (2)
  -t NAME           shm or tcp (shm)
  -C NAME           allreduce reducescatter allgather broadcast (allreduce)
  -d TYPE           float32 or bfloat16 (float32)
  --sizes LIST      (4,64,1K,8K,64K,512K,1M,4M,16M,64M,256M)
  -b SIZE -e SIZE -f K
                    first and last size, and the factor between them (4), in place
                    of the list
  -n N, -w N        most iterations, timed and not, of each size (20000, 5000)
  --budget D        about how long the timed iterations of a size take (300ms); both
                    sides count by the same rule
  --rounds N        (5)
  --quick           3 rounds, and only the peers' best settings
  --mode MODE       latency: a barrier before each iteration; throughput: none
                    (latency)
  --memory LIST     ringo's buffers: registered, ordinary, huge (registered,ordinary)
  --rewrite         owners write and read their buffers in each iteration
  --limit D         for one command (3m)
  --peers DIR       where bench/peers built its programs (peers, beside arbench)
  -J FILE --csv FILE --plot FILE
                    results as JSON, raw rows as CSV, a picture (.svg or .png)

Times are in us. Peers that are not installed are named, with how to install them.
`

// comparison is the command line of --vs.
type comparison struct {
	job             versus.Job
	ranks           []int
	sides           versus.Sides
	rounds          int
	limit           time.Duration
	json, csv, plot string
	series          bench.Sizes // of -b, -e and -f; zero: none
	mode            bench.Mode
}

func parseComparison(args []string) (*comparison, error) {
	c := &comparison{ranks: []int{2}, rounds: 5, limit: 3 * time.Minute, mode: bench.Latency,
		job: versus.Job{Transport: "shm", Collective: "allreduce", Type: "float32",
			Iterations: 20000, WarmUp: 5000, Budget: 300 * time.Millisecond,
			Sizes: []int{4, 64, 1 << 10, 8 << 10, 64 << 10, 512 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20}},
		sides: versus.Sides{Memory: []string{"registered", "ordinary"}}}
	f := flag.NewFlagSet("vs", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("vs", "", choice{noun: "peer", available: versus.Peers()}.listInto(&c.sides.Peers))
	f.Func("np", "", ranksInto(&c.ranks))
	f.Func("t", "", choice{noun: "transport", available: []string{"shm", "tcp"}}.into(&c.job.Transport))
	f.Func("C", "", choice{noun: "collective", available: []string{"allreduce", "reducescatter", "allgather", "broadcast"}}.into(&c.job.Collective))
	f.Func("d", "", choice{noun: "type", available: []string{"float32", "bfloat16"}}.into(&c.job.Type))
	f.Func("sizes", "", wholeElementsInto(&c.job.Sizes))
	f.Func("b", "", sizeInto(&c.series.First))
	f.Func("e", "", sizeInto(&c.series.Last))
	f.IntVar(&c.series.Factor, "f", 4, "")
	f.IntVar(&c.job.Iterations, "n", c.job.Iterations, "")
	f.IntVar(&c.job.WarmUp, "w", c.job.WarmUp, "")
	f.DurationVar(&c.job.Budget, "budget", c.job.Budget, "")
	f.IntVar(&c.rounds, "rounds", c.rounds, "")
	f.BoolVar(&c.sides.Quick, "quick", false, "")
	f.Func("mode", "", modeInto(&c.mode))
	f.Func("memory", "", choice{noun: "kind of memory", available: []string{"registered", "ordinary", "huge"}}.listInto(&c.sides.Memory))
	f.BoolVar(&c.job.Rewrite, "rewrite", false, "")
	f.DurationVar(&c.limit, "limit", c.limit, "")
	f.StringVar(&c.sides.Bin, "peers", "", "")
	f.StringVar(&c.json, "J", "", "")
	f.StringVar(&c.csv, "csv", "", "")
	f.StringVar(&c.plot, "plot", "", "")
	if slices.Contains(args, "-h") || slices.Contains(args, "--help") { // also in place of a value
		return nil, flag.ErrHelp
	}
	if err := f.Parse(args); err != nil {
		return nil, misused("%w; arbench --vs -h lists the flags", err)
	}
	switch {
	case f.NArg() > 0:
		return nil, misused("unexpected argument %q", f.Arg(0))
	case c.rounds < 1:
		return nil, misused("--rounds %d: give at least 1", c.rounds)
	case c.job.Iterations < 1 || c.job.WarmUp < 0 || c.job.Budget <= 0:
		return nil, misused("-n %d -w %d --budget %v: give at least 1 timed iteration, 0 warm-up ones, and a positive budget", c.job.Iterations, c.job.WarmUp, c.job.Budget)
	case c.limit <= 0:
		return nil, misused("--limit %v: give a positive duration", c.limit)
	case c.plot != "":
		if _, err := bench.PlotFormat(c.plot); err != nil {
			return nil, misused("--plot: %w", err)
		}
	}
	return c, c.complete()
}

func (c *comparison) complete() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c.sides.Arbench = self
	if c.sides.Bin == "" {
		c.sides.Bin = filepath.Join(filepath.Dir(self), "peers")
	}
	if c.sides.Quick {
		c.rounds = min(c.rounds, 3)
	}
	c.job.Throughput = c.mode == bench.Throughput
	if c.series.First == 0 && c.series.Last == 0 {
		return nil
	}
	if err := c.series.Validate(); err != nil {
		return misused("%w; see -b, -e and -f", err)
	}
	c.job.Sizes = c.series.List()
	return wholeElements(c.job.Sizes)
}

// versusCommand measures beside other libraries. A path that cannot be written is
// found before the run, not after it; what was measured before a signal is reported.
func versusCommand(ctx context.Context, args []string, out io.Writer) error {
	c, err := parseComparison(args)
	if err == flag.ErrHelp {
		return printed(io.WriteString(out, versusUsage))
	} else if err != nil {
		return err
	}
	files, err := c.open()
	defer files.close()
	if err != nil {
		return &usageError{err}
	}
	config := versus.Config{Rounds: c.rounds, Limit: c.limit, Commands: c.sides.Commands,
		Note: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	for _, ranks := range c.ranks {
		j := c.job
		j.Ranks = ranks
		config.Jobs = append(config.Jobs, j)
	}
	r, err := versus.Run(ctx, config)
	if err != nil && (r == nil || ctx.Err() == nil) {
		return err
	}
	if n := r.Failed(); n > 0 && err == nil {
		err = fmt.Errorf("%d of ringo's own commands failed; the report says why", n)
	}
	return errors.Join(err, r.Report(out), files.finish(r))
}

// listInto reads names separated by commas; all stands for every one.
func (c choice) listInto(to *[]string) func(string) error {
	return func(text string) error {
		*to = nil
		for name := range strings.SplitSeq(text, ",") {
			if name == "all" {
				*to = c.available
				return nil
			}
			if err := c.check(name); err != nil {
				return err
			}
			*to = append(*to, name)
		}
		return nil
	}
}

func ranksInto(to *[]int) func(string) error {
	return func(text string) error {
		*to = nil
		for _, word := range strings.Split(text, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 2 || n > maxRanks {
				return fmt.Errorf("give numbers of ranks from 2 to %d, as in 2,4,8", maxRanks)
			}
			*to = append(*to, n)
		}
		return nil
	}
}

func wholeElementsInto(to *[]int) func(string) error {
	return func(text string) (err error) {
		if *to, err = parseSizes(text); err != nil {
			return err
		}
		return wholeElements(*to)
	}
}

// wholeElements refuses sizes that the sides would round each in its own way.
func wholeElements(sizes []int) error {
	for _, n := range sizes {
		if n < 4 || n%4 != 0 {
			return misused("%d is no size of whole float32 elements; give multiples of 4", n)
		}
	}
	return nil
}
