package bench

import (
	"context"
	"syscall"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
)

// loop times one collective, again and again.
type loop struct {
	group Group
	mode  Mode
	do    func(context.Context) error
	// budget limits the iterations; see Config.
	budget time.Duration
	tick   func() // called for each iteration, and for each that was left out
	// before is called before each iteration and not timed; after is part of what
	// is timed. Either may be nil.
	before, after func()
}

// timing is the outcome of a loop, in microseconds, the same on all ranks.
type timing struct {
	mean  float64   // over iterations, of the slowest rank
	times []float64 // by iteration, of the slowest rank
	cpu   float64   // processor time per iteration, of all ranks together, waiting included
}

// run does warmUp untimed and n timed iterations, or as many as the budget has
// room for.
func (l *loop) run(ctx context.Context, warmUp, n int) (timing, error) {
	if l.budget > 0 {
		return l.limited(ctx, warmUp, n)
	}
	for range warmUp {
		if err := l.do(ctx); err != nil {
			return timing{}, err
		}
		l.tick()
	}
	return l.measured(ctx, n)
}

// measured does n timed iterations.
func (l *loop) measured(ctx context.Context, n int) (timing, error) {
	if err := l.group.Barrier(ctx); err != nil {
		return timing{}, err
	}
	times := make([]float64, n, n+1)
	before := processorTime()
	total, err := l.timed(ctx, times)
	if err != nil {
		return timing{}, err
	}
	cpu := []float64{processorTime() - before}
	t, err := l.slowest(ctx, times, total)
	if err != nil {
		return t, err
	}
	m := mem.Of(cpu)
	err = l.group.Do(ctx, allreduce.Request{Collective: schedule.AllReduce, Type: reduce.Float64, Op: reduce.Sum, Dst: m, Src: m})
	t.cpu = cpu[0] / float64(n)
	return t, err
}

// processorTime is what this process has used so far, in microseconds. Ranks that
// are goroutines of one process count it once each.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}

// timed fills times with this rank's iterations and returns the time of all.
func (l *loop) timed(ctx context.Context, times []float64) (total float64, err error) {
	begin := time.Now()
	for i := range times {
		if l.before != nil {
			l.before()
			begin = time.Now()
		}
		if l.mode == Latency {
			if err := l.group.Barrier(ctx); err != nil {
				return 0, err
			}
			begin = time.Now()
		}
		if err := l.do(ctx); err != nil {
			return 0, err
		}
		if l.after != nil {
			l.after()
		}
		end := time.Now()
		times[i] = microseconds(end.Sub(begin))
		total += times[i]
		l.tick()
		begin = end
	}
	return total, nil
}

// slowest takes the maximum over the ranks, of each iteration and of the total.
func (l *loop) slowest(ctx context.Context, times []float64, total float64) (timing, error) {
	all := append(times, total)
	m := mem.Of(all)
	err := l.group.Do(ctx, allreduce.Request{Collective: schedule.AllReduce, Type: reduce.Float64, Op: reduce.Max, Dst: m, Src: m})
	if err != nil {
		return timing{}, err
	}
	n := len(times)
	t := timing{mean: all[n] / float64(n), times: all[:n]}
	if l.mode == Latency {
		t.mean = mean(t.times)
	}
	return t, nil
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
