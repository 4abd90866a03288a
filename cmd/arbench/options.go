package main

import (
	"flag"
	"io"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// options are the command line.
type options struct {
	ranks    int
	ranksSet bool
	bench    bench.Config
	// how to communicate
	algorithm, transport   string
	subChunk, depth, conns int
	reproducible           allreduce.Switch
	profile                *choose.Profile
	tcp                    tcp.Config
	timeout, joinTimeout   time.Duration
	// what to do with the results
	json, csv, plot string
	minBusBW        float64
	version         bool
}

// defaults are the options of an empty command line.
func defaults() *options {
	return &options{
		ranks: 4,
		bench: bench.Config{
			Collectives: []bench.Collective{bench.AllReduce},
			Types:       []reduce.Type{reduce.Float32},
			Ops:         []reduce.Op{reduce.Sum},
			Sizes:       bench.Sizes{First: 1 << 10, Last: 64 << 20, Factor: 4},
			Iterations:  20, WarmUp: 5, Check: true, Mode: bench.Throughput, Seed: 1,
		},
		algorithm: "auto", transport: "auto",
		timeout: 5 * time.Minute, joinTimeout: 2 * time.Minute,
	}
}

// flags binds o to a set of flags.
func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("arbench", flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are printed once, by main
	f.Usage = func() {}
	b := &o.bench
	f.IntVar(&o.ranks, "np", o.ranks, "")
	f.Func("b", "", sizeInto(&b.Sizes.First))
	f.Func("e", "", sizeInto(&b.Sizes.Last))
	f.IntVar(&b.Sizes.Factor, "f", b.Sizes.Factor, "")
	f.Func("i", "", sizeInto(&b.Sizes.Step))
	f.Func("sizes", "", func(text string) error {
		list, err := parseSizes(text)
		b.Sizes = bench.ListSizes(list)
		return err
	})
	f.IntVar(&b.Iterations, "n", b.Iterations, "")
	f.IntVar(&b.WarmUp, "w", b.WarmUp, "")
	f.DurationVar(&b.Budget, "budget", 0, "")
	f.Func("c", "", switchInto(&b.Check))
	f.Func("o", "", opsInto(&b.Ops))
	f.Func("d", "", typesInto(&b.Types))
	f.Func("C", "", collectivesInto(&b.Collectives))
	f.Func("mode", "", modeInto(&b.Mode))
	f.Func("memory", "", memoryInto(&b.Memory))
	f.Uint64Var(&b.Seed, "seed", b.Seed, "")
	f.Func("a", "", algorithms.into(&o.algorithm))
	f.Func("t", "", transports.into(&o.transport))
	f.BoolVar(&b.Rewrite, "rewrite", false, "")
	f.Func("reproducible", "", onOffInto(&o.reproducible))
	f.Func("profile", "", profileInto(&o.profile))
	f.Func("device", "", devices.into(new(string)))
	f.Func("subchunk", "", sizeInto(&o.subChunk))
	f.IntVar(&o.depth, "depth", 0, "")
	f.IntVar(&o.conns, "conns", 0, "")
	f.StringVar(&o.tcp.Listen, "listen", "", "")
	f.StringVar(&o.tcp.Advertise, "advertise", "", "")
	f.Func("port-range", "", portsInto(&o.tcp.Ports))
	f.DurationVar(&o.timeout, "timeout", o.timeout, "")
	f.DurationVar(&o.joinTimeout, "join-timeout", o.joinTimeout, "")
	f.StringVar(&o.json, "J", "", "")
	f.StringVar(&o.csv, "csv", "", "")
	f.StringVar(&o.plot, "plot", "", "")
	f.Float64Var(&o.minBusBW, "min-busbw", 0, "")
	f.BoolVar(&o.version, "version", false, "")
	return f
}

// parseOptions reads the command line. It returns flag.ErrHelp for -h and a
// usageError for what makes no sense.
func parseOptions(args []string) (*options, error) {
	o := defaults()
	f := o.flags()
	if err := f.Parse(args); err == flag.ErrHelp {
		return nil, err
	} else if err != nil {
		return nil, misused("%w; arbench -h lists the flags", err)
	}
	f.Visit(func(set *flag.Flag) {
		if set.Name == "n" || set.Name == "w" {
			o.bench.Exact = true // what was asked for, at every size
		}
	})
	if f.NArg() > 0 {
		return nil, misused("unexpected argument %q; flags begin with a dash, as in -np 4", f.Arg(0))
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["f"] && given["i"] {
		return nil, misused("-f and -i exclude each other; give the factor or the step between sizes, not both")
	}
	if given["sizes"] && (given["b"] || given["e"] || given["f"] || given["i"]) {
		return nil, misused("--sizes excludes -b, -e, -f and -i; give the list or the series, not both")
	}
	o.ranksSet = given["np"]
	o.fitSizes(given["b"], given["e"])
	if err := o.validate(); err != nil {
		return nil, &usageError{err}
	}
	return o, nil
}

// fitSizes moves the default of one end of the sizes where the other end, which
// was given, lies beyond it.
func (o *options) fitSizes(first, last bool) {
	s := &o.bench.Sizes
	if first && !last {
		s.Last = max(s.First, s.Last)
	}
	if last && !first {
		s.First = min(s.First, s.Last)
	}
}
