package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeps compares Deps with its definition, read chunk by chunk, on plans and
// on random steps with wide ranges.
func TestDeps(t *testing.T) {
	plans := []Plan{{Chunks: 8, Steps: randomSteps(50, 40, 8)}}
	for _, make := range constructors {
		plans = append(plans, make(1), make(2), make(7))
	}
	for _, p := range plans {
		for r, steps := range p.Steps {
			deps := p.Deps(r)
			if len(deps) != len(steps) {
				t.Fatalf("%d lists for %d steps", len(deps), len(steps))
			}
			for i := range steps {
				if want := naiveDeps(steps, i); !slices.Equal(deps[i], want) {
					t.Fatalf("step %d of %v waits for %v, not %v", i, steps, deps[i], want)
				}
			}
		}
	}
}

func randomSteps(ranks, n, chunks int) [][]Step {
	rng := rand.New(rand.NewPCG(4, 5))
	all := make([][]Step, ranks)
	for r := range all {
		for range n {
			lo := rng.IntN(chunks)
			all[r] = append(all[r], Step{Op(1 + rng.IntN(4)), -1, lo, lo + 1 + rng.IntN(chunks-lo)})
		}
	}
	return all
}

// naiveDeps goes back from step i until it meets a writer, for every chunk.
func naiveDeps(steps []Step, i int) (deps []int32) {
	for c := steps[i].Lo; c < steps[i].Hi; c++ {
		for j := i - 1; j >= 0; j-- {
			touches := steps[j].Lo <= c && c < steps[j].Hi
			writes := steps[j].Op != Send
			if touches && (writes || steps[i].Op != Send) && !slices.Contains(deps, int32(j)) {
				deps = append(deps, int32(j))
			}
			if touches && writes {
				break
			}
		}
	}
	slices.Sort(deps)
	return deps
}

// TestDepsAreApart appends to one list and looks at its neighbour.
func TestDepsAreApart(t *testing.T) {
	p := Ring(4)
	deps, want := p.Deps(0), p.Deps(0)
	for i := range deps {
		_ = append(deps[i], 99)
		if i > 0 && !slices.Equal(deps[i], want[i]) {
			t.Fatalf("the list of step %d changed", i)
		}
	}
}
