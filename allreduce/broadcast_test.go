package allreduce_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// TestBroadcast: every rank ends with root's elements, whoever is root, whatever
// the length, in place and not; and root's source stays as it was.
func TestBroadcast(t *testing.T) {
	const ranks = 3
	for name, driver := range drivers() {
		t.Run(name, func(t *testing.T) {
			noErrors(t, world(t, ranks, allreduce.Config{Drivers: []transport.Driver{driver()}}, func(ctx context.Context, g *allreduce.Group) error {
				for _, n := range []int{0, 1, 300, 70_000} {
					for root := range ranks {
						want := noise(root, n)
						x := noise(g.Rank(), n)
						if err := allreduce.Broadcast(ctx, g, x, root); err != nil {
							return err
						}
						src, dst := noise(g.Rank(), n), make([]float32, n)
						if err := allreduce.BroadcastTo(ctx, g, dst, src, root); err != nil {
							return err
						}
						if !slices.Equal(x, want) || !slices.Equal(dst, want) || !slices.Equal(src, noise(g.Rank(), n)) {
							return fmt.Errorf("%d elements from rank %d: wrong", n, root)
						}
					}
				}
				return nil
			}))
		})
	}
}

// TestExplain: all ranks are told the same, and what Config names is what is run.
func TestExplain(t *testing.T) {
	for _, wanted := range []string{"auto", "doubling"} {
		var picked [2]string
		base := allreduce.Config{Drivers: []transport.Driver{drivers()["tcp"]()}, Algorithm: wanted, Reproducible: allreduce.Off}
		noErrors(t, world(t, len(picked), base, func(ctx context.Context, g *allreduce.Group) error {
			m := mem.Of(make([]float32, 1<<16))
			c, err := g.Explain(allreduce.Request{Collective: schedule.AllReduce, Type: reduce.Float32, Op: reduce.Sum, Dst: m, Src: m})
			if c.Why == "" || c.CostNS <= 0 {
				return fmt.Errorf("%+v says nothing", c)
			}
			picked[g.Rank()] = c.Algorithm
			return err
		}))
		if picked[0] == "" || picked[0] != picked[1] || wanted != "auto" && picked[0] != wanted {
			t.Errorf("asked for %s, picked %q", wanted, picked)
		}
	}
}
