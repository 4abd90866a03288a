package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/schedule"
)

const explainUsage = `arbench explain-choice prints, for each size, which algorithm is picked and why.
It starts no ranks; a job asks the same question of the same profile.

  -b SIZE, -e SIZE  first and last size; K, M and G are binary (4, 64M)
  -f K              factor between sizes (8)
  -np N             ranks on one host (4)
  --hosts N,N,...   ranks on each host, instead of -np
  -t NAME           auto: ranks of a host share memory; tcp: they do not (auto)
  -C NAME           allreduce reducescatter allgather broadcast (allreduce)
  -a NAME           algorithm that is asked for (auto)
  --reproducible B  sum in rank order: on or off (on)
  --profile FILE    cost model, as arbench tune writes it (the built-in one)
`

// explanation is the command line of explain-choice.
type explanation struct {
	sizes        bench.Sizes
	question     choose.Question
	transport    string
	reproducible allreduce.Switch
	profile      *choose.Profile
}

func explainCommand(args []string, out io.Writer) error {
	e, err := parseExplanation(args)
	if err == flag.ErrHelp {
		return printed(io.WriteString(out, explainUsage))
	} else if err != nil {
		return err
	}
	return e.print(out)
}

func parseExplanation(args []string) (*explanation, error) {
	e := &explanation{sizes: bench.Sizes{First: 4, Last: 64 << 20, Factor: 8}, profile: choose.Default(), transport: "auto"}
	q := &e.question
	q.Collective, q.Ranks, q.Commutes, q.Wanted, q.HostsConsecutive = schedule.AllReduce, 4, true, "auto", true
	f := flag.NewFlagSet("explain-choice", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("b", "", sizeInto(&e.sizes.First))
	f.Func("e", "", sizeInto(&e.sizes.Last))
	f.IntVar(&e.sizes.Factor, "f", e.sizes.Factor, "")
	f.IntVar(&q.Ranks, "np", q.Ranks, "")
	f.Func("hosts", "", hostsInto(&q.Hosts))
	f.Func("t", "", choice{noun: "transport", available: []string{"auto", "shm", "tcp"}}.into(&e.transport))
	f.Func("C", "", func(name string) (err error) {
		q.Collective, err = schedule.ParseCollective(name)
		return err
	})
	f.Func("a", "", algorithms.into(&q.Wanted))
	f.Func("reproducible", "", onOffInto(&e.reproducible))
	f.Func("profile", "", profileInto(&e.profile))
	if err := f.Parse(args); err == flag.ErrHelp {
		return nil, err
	} else if err != nil {
		return nil, misused("%w; arbench explain-choice -h lists the flags", err)
	}
	if f.NArg() > 0 {
		return nil, misused("unexpected argument %q", f.Arg(0))
	}
	if err := e.sizes.Validate(); err != nil {
		return nil, misused("%w; see -b, -e and -f", err)
	}
	return e, e.complete()
}

// complete fills in what follows from the flags.
func (e *explanation) complete() error {
	q := &e.question
	if len(q.Hosts) > 0 {
		q.Ranks = 0
		for _, n := range q.Hosts {
			q.Ranks += n
		}
	} else {
		q.Hosts = []int{q.Ranks}
	}
	if q.Ranks < 1 || q.Ranks > schedule.MaxRanks {
		return misused("-np %d: give 1 to %d ranks", q.Ranks, schedule.MaxRanks)
	}
	q.Shared = e.transport != "tcp"
	q.Reproducible = e.reproducible != allreduce.Off
	return nil
}

// hostsInto reads "4,4,2".
func hostsInto(to *[]int) func(string) error {
	return func(text string) error {
		for _, word := range strings.Split(text, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return fmt.Errorf("give the ranks of each host, as in 4,4,2")
			}
			*to = append(*to, n)
		}
		return nil
	}
}

func (e *explanation) print(out io.Writer) error {
	_, err := fmt.Fprintf(out, "# %v on %d ranks, per host %v; profile %q; reproducible %t\n# %12s  %-20s  %12s  why\n",
		e.question.Collective, e.question.Ranks, e.question.Hosts, e.profile.Name, e.question.Reproducible, "size (B)", "algorithm", "estimate")
	for _, size := range e.sizes.List() {
		e.question.Bytes = size
		c, chooseErr := e.profile.Choose(e.question)
		if chooseErr != nil {
			return misused("%w", chooseErr)
		}
		if err == nil {
			_, err = fmt.Fprintf(out, "%14d  %-20s  %12v  %s\n", size, c.Algorithm, time.Duration(c.CostNS).Round(100*time.Nanosecond), c.Why)
		}
	}
	return err
}
