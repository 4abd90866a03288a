package bench

import (
	"testing"
	"time"
)

// TestBudget: as many iterations as fit, but never less than what a median needs.
func TestBudget(t *testing.T) {
	for budget, want := range map[time.Duration]int{1: 3, time.Hour: 40} {
		for _, mode := range []Mode{Throughput, Latency} {
			c := everything()
			c.Budget, c.Mode, c.Iterations, c.WarmUp = budget, mode, 40, 7
			seen, wrong := measure(t, newFakeWorld(3), c)
			for _, row := range seen.rows {
				if row.Iterations != want {
					t.Fatalf("budget %v: %d iterations of %s, want %d", budget, row.Iterations, row.Collective, want)
				}
			}
			if seen.ticks != c.Steps(3) {
				t.Errorf("budget %v: %d iterations were told, %d announced", budget, seen.ticks, c.Steps(3))
			}
			if wrong[0] != 0 {
				t.Errorf("%d wrong elements", wrong[0])
			}
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		micros            float64
		least, most, want int
	}{{1000, 1, 100, 10}, {1000, 20, 100, 20}, {1, 1, 100, 100}, {0, 1, 100, 100}, {1e9, 3, 100, 3}} {
		if got := fit(10*time.Millisecond, c.micros, c.least, c.most); got != c.want {
			t.Errorf("%v us: %d iterations, want %d", c.micros, got, c.want)
		}
	}
}
