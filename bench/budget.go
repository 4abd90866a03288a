package bench

import (
	"context"
	"time"
)

// least is how many iterations are made whatever the budget says.
const least = 3

// limited is run with a budget. All ranks see the same times, and so count alike.
func (l *loop) limited(ctx context.Context, warmUp, n int) (timing, error) {
	// The first may be far slower than the others: it only says how many more to
	// begin with.
	t, err := l.measured(ctx, 1)
	if err != nil {
		return t, err
	}
	done := 1
	if warmUp > 0 {
		warm := fit(l.budget/4, t.times[0], warmUp)
		if t, err = l.measured(ctx, warm); err != nil {
			return t, err
		}
		done += warm
	}
	timed := fit(l.budget, quantilesOf(t.times).P50, n)
	if t, err = l.measured(ctx, timed); err != nil {
		return t, err
	}
	for range warmUp + n - done - timed {
		l.tick()
	}
	return t, nil
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
