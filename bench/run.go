package bench

import (
	"context"
	"log/slog"
)

// Watcher is told about a run's progress, on the goroutine that runs it.
type Watcher interface {
	// Begin is called before the first row of a collective.
	Begin(c Collective)
	// Iteration is called after each iteration, timed or not: Config.Steps times
	// in all.
	Iteration()
	// Row is called with each result. Results are the same on all ranks, but for
	// Transport, which a Watcher may fill in.
	Row(r Result)
}

// Run measures what c asks for; all ranks of g call it with the same Config. It
// returns how many elements were found wrong on this rank, which counts even if
// g adds wrongly; the rows hold the sum over all ranks. Run logs the first wrong
// element of each call to log.
func Run(ctx context.Context, g Group, c Config, w Watcher, log *slog.Logger) (wrong int64, err error) {
	a, err := newArena(g, c.Memory, c.largest(g.Size()))
	if err != nil {
		return 0, err
	}
	defer func() {
		if closeErr := a.Close(); err == nil {
			err = closeErr
		}
	}()
	r := &run{config: c, group: g, arena: a, watcher: w, log: log}
	var last Collective
	for _, p := range c.points(g.Size()) {
		if p.collective != last {
			w.Begin(p.collective)
			last = p.collective
		}
		row, err := r.row(ctx, p)
		if err != nil {
			return r.wrong, err
		}
		w.Row(row)
	}
	return r.wrong, nil
}

// run is the state of a Run.
type run struct {
	config  Config
	group   Group
	arena   *arena
	watcher Watcher
	log     *slog.Logger
	checks  uint64 // calls checked so far: each gets its own data
	wrong   int64  // elements, on this rank
}

// row measures p out of place, then in place.
func (r *run) row(ctx context.Context, p point) (Result, error) {
	ranks := r.group.Size()
	row := Result{
		Size: p.bytes(), Count: p.count(ranks), Type: p.typeName(), Op: p.opName(), Root: p.collective.root(),
		Collective: string(p.collective), Ranks: ranks, Mode: r.config.Mode,
	}
	var err error
	if row.OutOfPlace, _, err = r.placement(ctx, p, &row, false); err != nil {
		return row, err
	}
	var t timing
	row.InPlace, t, err = r.placement(ctx, p, &row, true)
	row.Iterations, row.Quantiles, row.CPU = len(t.times), quantilesOf(t.times), t.cpu
	return row, err
}

// placement times one loop and checks one further call.
func (r *run) placement(ctx context.Context, p point, row *Result, inPlace bool) (Placement, timing, error) {
	timed, warmUp := r.config.iterations(p)
	l := loop{group: r.group, mode: r.config.Mode, budget: r.config.Budget, tick: r.watcher.Iteration, do: r.group.Barrier}
	var c call
	if p.collective != Barrier {
		c = r.arena.call(p, r.group.Rank(), r.group.Size(), inPlace)
		row.Algorithm = r.group.Algorithm(c.request)
		l.do = func(ctx context.Context) error { return r.group.Do(ctx, c.request) }
		newChecker(r.pattern(p), p.total).input(c.input.Bytes(), r.group.Rank(), c.input.first)
		if r.config.Rewrite {
			l.rewrite(c)
		}
	}
	t, err := l.run(ctx, warmUp, timed)
	if err != nil {
		return Placement{}, t, err
	}
	out := Placement{Time: t.mean, AlgBW: algorithmBandwidth(p.bytes(), t.mean)}
	out.BusBW = out.AlgBW * Bandwidth(p.collective.BusFactor(r.group.Size()))
	if r.config.Check && p.collective != Barrier {
		f, err := r.check(ctx, p, c)
		if err != nil {
			return out, t, err
		}
		row.Checked += f.checked
		out.NWrong = &f.wrong
	}
	return out, t, nil
}
