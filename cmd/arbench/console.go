package main

import (
	"os"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
)

// console is the Watcher of the rank that prints: it prints the table, collects
// the report and shows progress.
type console struct {
	options  *options
	table    *bench.Table
	report   *bench.Report
	progress *progress
}

// newConsole prints the header of the run on g.
func newConsole(o *options, g *allreduce.Group, table *bench.Table) *console {
	c := &console{options: o, table: table, report: bench.NewReport(setupOf(o, g))}
	table.Header(c.report.Config)
	c.progress = startProgress(os.Stderr, o.bench.Steps(g.Size()))
	return c
}

// setupOf describes the run on g.
func setupOf(o *options, g *allreduce.Group) bench.Setup {
	i, b := g.Info(), &o.bench
	return bench.Setup{
		Program: programName(), Library: i.Version, Go: goName(), Started: time.Now().UTC().Truncate(time.Second),
		Ranks: g.Size(), Hosts: i.Hosts, Transport: i.Transport, Why: i.Why, Algorithm: i.Algorithm,
		SubChunk: i.SubChunk, Depth: i.Depth, Conns: i.Conns, Mode: b.Mode,
		MinBytes: b.Sizes.First, MaxBytes: b.Sizes.Last, Factor: b.Sizes.Factor, StepBytes: b.Sizes.Step,
		Iterations: b.Iterations, WarmUp: b.WarmUp, Exact: b.Exact, Check: b.Check, Seed: b.Seed, Units: bench.ReportUnits,
	}
}

// Begin implements bench.Watcher.
func (c *console) Begin(name bench.Collective) {
	c.progress.aside(func() { c.table.Title(name) })
}

// Iteration implements bench.Watcher.
func (c *console) Iteration() { c.progress.step() }

// Row implements bench.Watcher.
func (c *console) Row(r bench.Result) {
	r.Transport = c.report.Config.Transport
	c.report.Add(r)
	c.progress.aside(func() { c.table.Row(r) })
}

// end prints the sums, or notes the error that ended the run.
func (c *console) end(err error) {
	c.progress.stop()
	if err != nil {
		c.report.Errors = append(c.report.Errors, err.Error())
		c.report.AverageBusBandwidth.Okay = false
		return
	}
	if want := c.options.minBusBW; want > 0 {
		c.report.Require(bench.Bandwidth(want))
	}
	c.table.Footer(c.report)
}
