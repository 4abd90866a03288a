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
			// The very first iteration is on top.
			if least, most := c.Steps(3), c.Steps(3)+2*len(seen.rows); seen.ticks < least || seen.ticks > most {
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
		micros     float64
		most, want int
	}{{1000, 100, 10}, {1, 100, 100}, {0, 100, 100}, {1e9, 100, 3}, {1e9, 2, 2}} {
		if got := fit(10*time.Millisecond, c.micros, c.most); got != c.want {
			t.Errorf("%v us: %d iterations, want %d", c.micros, got, c.want)
		}
	}
}
