package main

import (
	"context"
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
	sizes           []int
	throughput      bench.Mode
}

func parseComparison(args []string) (*comparison, error) {
	c := &comparison{ranks: []int{2}, rounds: 5, limit: 3 * time.Minute, throughput: bench.Latency,
		job:   versus.Job{Transport: "shm", Collective: "allreduce", Type: "float32"},
		sides: versus.Sides{Memory: []string{"registered", "ordinary"}}}
	sizesInto(&c.sizes)("4,64,1K,8K,64K,512K,1M,4M,16M,64M,256M")
	f := flag.NewFlagSet("vs", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("vs", "", listInto(&c.sides.Peers, "peer", versus.Peers()))
	f.Func("np", "", ranksInto(&c.ranks))
	f.Func("t", "", choice{noun: "transport", available: []string{"shm", "tcp"}}.into(&c.job.Transport))
	f.Func("C", "", choice{noun: "collective", available: []string{"allreduce", "reducescatter", "allgather", "broadcast"}}.into(&c.job.Collective))
	f.Func("d", "", choice{noun: "type", available: []string{"float32", "bfloat16"}}.into(&c.job.Type))
	f.Func("sizes", "", sizesInto(&c.sizes))
	f.IntVar(&c.rounds, "rounds", c.rounds, "")
	f.BoolVar(&c.sides.Quick, "quick", false, "")
	f.Func("mode", "", modeInto(&c.throughput))
	f.Func("memory", "", listInto(&c.sides.Memory, "kind of memory", []string{"registered", "ordinary", "huge"}))
	f.BoolVar(&c.job.Rewrite, "rewrite", false, "")
	f.DurationVar(&c.limit, "limit", c.limit, "")
	f.StringVar(&c.sides.Bin, "peers", "", "")
	f.StringVar(&c.json, "J", "", "")
	f.StringVar(&c.csv, "csv", "", "")
	f.StringVar(&c.plot, "plot", "", "")
	if err := f.Parse(args); err == flag.ErrHelp {
		return nil, err
	} else if err != nil {
		return nil, misused("%w; arbench --vs -h lists the flags", err)
	}
	switch {
	case f.NArg() > 0:
		return nil, misused("unexpected argument %q", f.Arg(0))
	case c.rounds < 1:
		return nil, misused("--rounds %d: give at least 1", c.rounds)
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
	c.job.Throughput = c.throughput == bench.Throughput
	for _, bytes := range c.sizes {
		c.job.Sizes = append(c.job.Sizes, versus.Size{Bytes: bytes, Iterations: iterationsFor(bytes)})
	}
	return nil
}

// iterationsFor is how many iterations of a size take a fraction of a second.
func iterationsFor(bytes int) int {
	switch {
	case bytes <= 8<<10:
		return 20000
	case bytes <= 64<<10:
		return 4000
	case bytes <= 1<<20:
		return 200
	case bytes <= 16<<20:
		return 30
	}
	return 7
}

// versusCommand measures beside other libraries.
func versusCommand(ctx context.Context, args []string, out io.Writer) error {
	c, err := parseComparison(args)
	if err == flag.ErrHelp {
		return printed(io.WriteString(out, versusUsage))
	} else if err != nil {
		return err
	}
	config := versus.Config{Rounds: c.rounds, Limit: c.limit, Commands: c.sides.Commands,
		Note: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	for _, ranks := range c.ranks {
		j := c.job
		j.Ranks = ranks
		config.Jobs = append(config.Jobs, j)
	}
	r, err := versus.Run(ctx, config)
	if err != nil {
		return err
	}
	if err := r.Report(out); err != nil {
		return err
	}
	return c.write(r)
}

func (c *comparison) write(r *versus.Results) error {
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.json, r.JSON}, {c.csv, r.Raw}, {c.plot, func(w io.Writer) error {
		format, _ := bench.PlotFormat(c.plot) // parsed before
		return r.Plot(w, format)
	}}} {
		if f.path == "" {
			continue
		}
		if err := writeFile(f.path, f.write); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(os.Stdout)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}

// listInto reads names separated by commas; all stands for every one.
func listInto(to *[]string, noun string, names []string) func(string) error {
	return func(text string) error {
		*to = nil
		for _, name := range strings.Split(text, ",") {
			if name == "all" {
				*to = names
				return nil
			}
			if !slices.Contains(names, name) {
				return fmt.Errorf("there is no %s %q; available: %s", noun, name, strings.Join(names, ", "))
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

func sizesInto(to *[]int) func(string) error {
	return func(text string) error {
		*to = nil
		for _, word := range strings.Split(text, ",") {
			n, err := bench.ParseSize(word)
			if err != nil {
				return err
			}
			if n < 4 || n%4 != 0 {
				return fmt.Errorf("%s: give sizes of whole float32 elements", word)
			}
			*to = append(*to, n)
		}
		return nil
	}
}
