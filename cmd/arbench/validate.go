package main

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/ringo-ccl/ringo/bench"
)

// The most that -np starts and --conns opens.
const (
	maxRanks = 1024
	maxConns = 16
)

// validate says in one sentence what makes no sense, if anything.
func (o *options) validate() error {
	b := &o.bench
	if err := b.Sizes.Validate(); err != nil {
		return fmt.Errorf("%w; see -b, -e, -f and -i", err)
	}
	switch {
	case o.ranks < 1 || o.ranks > maxRanks:
		return fmt.Errorf("-np %d: give 1 to %d ranks", o.ranks, maxRanks)
	case b.Iterations < 1:
		return fmt.Errorf("-n %d: give at least 1 timed iteration", b.Iterations)
	case b.WarmUp < 0:
		return fmt.Errorf("-w %d: give 0 or more warm-up iterations", b.WarmUp)
	case b.Budget < 0:
		return fmt.Errorf("--budget %v: give a positive duration, such as 500ms, or 0 for no limit", b.Budget)
	case o.depth < 0:
		return fmt.Errorf("--depth %d: give at least 1, or 0 for the tuned value", o.depth)
	case o.conns < 0 || o.conns > maxConns:
		return fmt.Errorf("--conns %d: give 1 to %d, or 0 for the tuned value", o.conns, maxConns)
	case o.timeout <= 0:
		return fmt.Errorf("--timeout %v: give a positive duration, such as 30s", o.timeout)
	case o.joinTimeout <= 0:
		return fmt.Errorf("--join-timeout %v: give a positive duration, such as 30s", o.joinTimeout)
	case !(o.minBusBW >= 0):
		return fmt.Errorf("--min-busbw %v: give a positive number of GB/s", o.minBusBW)
	case o.tcp.Listen != "" && net.ParseIP(o.tcp.Listen) == nil:
		return fmt.Errorf("--listen %s: give an IP address of this machine, without a port", o.tcp.Listen)
	}
	return o.validateOutputs()
}

// validateOutputs looks at the names of the result files.
func (o *options) validateOutputs() error {
	names := map[string]string{}
	for _, out := range []struct{ flag, path string }{{"-J", o.json}, {"--csv", o.csv}, {"--plot", o.plot}} {
		path := filepath.Clean(out.path)
		if out.path != "" && names[path] != "" {
			return fmt.Errorf("%s and %s both write to %q; give them different files", names[path], out.flag, out.path)
		}
		names[path] = out.flag
	}
	if o.plot == "" {
		return nil
	}
	if _, err := bench.PlotFormat(o.plot); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// suits says whether the options make sense under l.
func (o *options) suits(l launcher) error {
	ranks := o.ranks
	if l.found {
		ranks = l.ranks
		if o.transport == "inproc" {
			return &usageError{errors.New("-t inproc joins goroutines of one process, but a launcher started this one as a rank; use -t tcp")}
		}
	}
	if o.minBusBW > 0 && ranks == 1 {
		return &usageError{errors.New("--min-busbw needs at least 2 ranks: one has no bus bandwidth")}
	}
	return nil
}
