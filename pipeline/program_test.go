package pipeline

import (
	"slices"
	"testing"

	"github.com/ringo-ccl/ringo/schedule"
)

// TestProgramWaitsAsProved: where each step is one chunk, a program waits for
// exactly what schedule.Check proved the plan with.
func TestProgramWaitsAsProved(t *testing.T) {
	for _, plan := range []schedule.Plan{schedule.Ring(1), schedule.Ring(2), schedule.Ring(7), schedule.Chain(5),
		schedule.RingReduceScatter(6), schedule.RingAllGather(6), schedule.ChainReduceScatter(4)} {
		for rank := range plan.Ranks {
			g, err := Compile(plan, rank)
			if err != nil {
				t.Fatal(err)
			}
			for step, want := range plan.Deps(rank) {
				if s := plan.Steps[rank][step]; s.Hi != s.Lo+1 {
					t.Fatalf("%s rank %d step %d has several chunks", plan.Name, rank, step)
				}
				got := slices.Sorted(slices.Values(g.parts[0].flow.ops[step].deps))
				if !slices.Equal(got, want) {
					t.Errorf("%v %s of %d, rank %d step %d waits for %v, the plan says %v", plan.Collective, plan.Name, plan.Ranks, rank, step, got, want)
				}
			}
		}
	}
}

func TestPartitionCoversEverything(t *testing.T) {
	for _, c := range []struct{ chunks, elem, count, sub int }{
		{1, 4, 0, 64}, {3, 4, 1, 64}, {4, 8, 1000, 100}, {7, 2, 99999, 4096}, {2, 1, 1<<20 + 1, 256 << 10}, {64, 8, 63, 64},
	} {
		p := newPartition(&Program{Collective: schedule.AllReduce, Chunks: c.chunks}, c.elem, c.count)
		p.divide(c.sub)
		next := 0
		for chunk := range c.chunks {
			base, size := p.chunk(chunk)
			if base != next {
				t.Fatalf("%+v: chunk %d begins at %d, want %d", c, chunk, base, next)
			}
			at := 0
			for w := range p.windows {
				for u := range windowUnits {
					off, n := p.unit(chunk, w, u)
					if n == 0 {
						continue
					}
					if off != at || n%c.elem != 0 || n > max(c.sub, c.elem) {
						t.Fatalf("%+v: unit %d of window %d is [%d,+%d), want it at %d", c, u, w, off, n, at)
					}
					at += n
				}
			}
			if at != size {
				t.Fatalf("%+v: chunk %d covers %d of %d bytes", c, chunk, at, size)
			}
			next += size
		}
		if next != c.count*c.elem {
			t.Fatalf("%+v: the chunks cover %d bytes of %d", c, next, c.count*c.elem)
		}
	}
}
