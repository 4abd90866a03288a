package bench

import (
	"context"
	"time"
)

// limited is run with a budget. All ranks see the same times, and so count alike.
func (l *loop) limited(ctx context.Context, warmUp, n int) (timing, error) {
	t, err := l.measured(ctx, 1)
	if err != nil {
		return t, err
	}
	done := 1
	if warmUp > 1 {
		warm := fit(l.budget/4, t.mean, 1, warmUp-1)
		if t, err = l.measured(ctx, warm); err != nil {
			return t, err
		}
		done += warm
	}
	timed := fit(l.budget, t.mean, min(leastTimed, n), n)
	if t, err = l.measured(ctx, timed); err != nil {
		return t, err
	}
	for range warmUp + n - done - timed {
		l.tick()
	}
	return t, nil
}

// leastTimed is how many iterations are timed whatever the budget says.
const leastTimed = 3

// fit is how many iterations of micros microseconds fit into d, from least to most.
func fit(d time.Duration, micros float64, least, most int) int {
	if micros <= 0 {
		return max(least, most)
	}
	return max(least, int(min(microseconds(d)/micros, float64(most))))
}
