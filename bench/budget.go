package bench

import (
	"context"
	"time"
)

// least is how many iterations are made whatever the budget says.
const least = 3

// limited is run with a budget. All ranks see the same times, and so count alike.
func (l *loop) limited(ctx context.Context, warmUp, n int) (timing, error) {
	each, done, err := l.warmUp(ctx, warmUp)
	if err != nil {
		return timing{}, err
	}
	timed := fit(l.budget, each, n)
	t, err := l.measured(ctx, timed)
	if err != nil {
		return t, err
	}
	for range warmUp + n - done - timed {
		l.tick()
	}
	return t, nil
}

// warmUp makes most iterations or as many as a quarter of the budget has room for,
// and returns the time of one in microseconds and their number. The first ones may
// be far slower than the others, so there are more until the time is over.
func (l *loop) warmUp(ctx context.Context, most int) (each float64, done int, err error) {
	t, err := l.measured(ctx, 1)
	if err != nil {
		return 0, 1, err
	}
	each = t.times[0]
	left := l.budget / 4
	for done < most && left > 0 {
		n := fit(left, each, most-done)
		if t, err = l.measured(ctx, n); err != nil {
			return 0, done, err
		}
		each = quantilesOf(t.times).P50
		left -= time.Duration(t.mean*float64(n)*1e3) + 1
		done += n
	}
	return each, done + 1, nil
}

// fit is how many iterations of micros microseconds there is time for in d: from
// least to most of them.
func fit(d time.Duration, micros float64, most int) int {
	n := float64(most)
	if micros > 0 {
		n = microseconds(d) / micros
	}
	return int(min(max(n, least), float64(most)))
}
