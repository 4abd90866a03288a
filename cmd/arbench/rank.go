package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/shm"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// config is how a rank joins; Rank, Ranks, Store and Token are the caller's to
// set, or the environment's.
func (o *options) config() allreduce.Config {
	place := o.tcp
	if os.Getenv(reportVariable) != "" && place.Listen == "" && place.Advertise == "" {
		place.Listen = "127.0.0.1" // arbench's own ranks are all on this machine
	}
	return allreduce.Config{
		Drivers:   o.drivers(place),
		Algorithm: o.algorithm, SubChunk: o.subChunk, Depth: o.depth, Conns: o.conns,
		Reproducible: o.reproducible, Profile: o.profile,
		JoinTimeout: o.joinTimeout, OpTimeout: o.timeout,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
}

// drivers are those that -t names, best first.
func (o *options) drivers(place tcp.Config) []transport.Driver {
	switch o.transport {
	case "shm":
		return []transport.Driver{shm.New(shm.Config{})}
	case "tcp":
		return []transport.Driver{tcp.New(place)}
	}
	return []transport.Driver{shm.New(shm.Config{}), tcp.New(place)}
}

// runRank is one rank from beginning to end. Rank 0 prints and writes files.
func runRank(ctx context.Context, o *options, rank int, c allreduce.Config) error {
	var out *outputs
	if rank == 0 {
		var err error
		if out, err = openOutputs(o); err != nil {
			return err
		}
		defer out.close()
	}
	g, err := allreduce.Join(ctx, c)
	if err != nil {
		if errors.Is(err, allreduce.ErrInvalid) {
			return &usageError{err}
		}
		return err
	}
	err = measure(ctx, o, g, out)
	if closeErr := g.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("leave the group: %w", closeErr)
	}
	return err
}

// measure runs the benchmark on g; out is nil on all ranks but 0.
func measure(ctx context.Context, o *options, g *allreduce.Group, out *outputs) error {
	if out == nil {
		wrong, err := bench.Run(ctx, bench.Over(g), o.bench, silent{}, slog.Default())
		if err == nil && wrong > 0 {
			err = fmt.Errorf("%d elements of this rank's results are wrong", wrong)
		}
		return err
	}
	c := newConsole(o, g, out.table)
	wrong, err := bench.Run(ctx, bench.Over(g), o.bench, c, slog.Default())
	c.end(err)
	if writeErr := out.finish(c.report); err == nil {
		err = writeErr
	}
	if err == nil {
		err = errors.Join(c.table.Err(), o.judge(c.report, wrong))
	}
	return err
}

// judge fails a run whose results are wrong or too slow.
func (o *options) judge(r *bench.Report, wrong int64) error {
	if n := max(wrong, r.OutOfBounds.Count); n > 0 {
		return fmt.Errorf("%d elements of the results are wrong", n)
	}
	if o.minBusBW > 0 && !r.AverageBusBandwidth.Okay {
		return fmt.Errorf("the bus bandwidth at the largest size is %v GB/s, below the %g that --min-busbw asks for", r.LargestBusBW(), o.minBusBW)
	}
	return nil
}

// silent is the Watcher of the ranks that print nothing.
type silent struct{}

func (silent) Begin(bench.Collective) {}
func (silent) Iteration()             {}
func (silent) Row(bench.Result)       {}
