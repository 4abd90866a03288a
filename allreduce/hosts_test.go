package allreduce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// onHosts runs f on every rank of a group whose ranks are spread over hosts: those
// of one host share memory, and all have TCP.
func onHosts(t *testing.T, sizes []int, base allreduce.Config, f func(ctx context.Context, g *allreduce.Group) error) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	meet := rendezvous.NewMemory()
	ranks := 0
	for _, n := range sizes {
		ranks += n
	}
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	rank := 0
	for _, n := range sizes {
		memory := inproc.NewNetwork(inproc.Config{})
		for range n {
			me := rank
			wg.Go(func() {
				c := base
				c.Rank, c.Ranks, c.Store, c.Log = me, ranks, meet.Client(), slog.New(slog.DiscardHandler)
				c.Drivers = []transport.Driver{memory, tcp.New(tcp.Config{Listen: "127.0.0.1"})}
				defer c.Store.Close()
				g, err := allreduce.Join(ctx, c)
				if err != nil {
					errs[me] = err
					return
				}
				errs[me] = errors.Join(f(ctx, g), g.Close())
			})
			rank++
		}
	}
	wg.Wait()
	return errs
}

// inRankOrder is the canonical sum: a loop over the ranks.
func inRankOrder(ranks, n int) []float32 {
	sum := noise(0, n)
	for r := 1; r < ranks; r++ {
		for i, v := range noise(r, n) {
			sum[i] += v
		}
	}
	return sum
}

// TestHosts: several ranks on several hosts, uneven ones included, in memory of
// the group and of the caller: every collective is right, and AllReduce has the
// bits of a loop in rank order.
func TestHosts(t *testing.T) {
	leak.Check(t)
	for _, sizes := range [][]int{{2, 1}, {1, 3}, {2, 2}, {3, 2, 1}} {
		for _, algorithm := range []string{"auto", "hierarchical-ordered", "hierarchical"} {
			t.Run(fmt.Sprintf("%v/%s", sizes, algorithm), func(t *testing.T) {
				c := allreduce.Config{Algorithm: algorithm}
				exact := algorithm != "hierarchical"
				if !exact {
					c.Reproducible = allreduce.Off
				}
				noErrors(t, onHosts(t, sizes, c, func(ctx context.Context, g *allreduce.Group) error {
					if info := g.Info(); info.Transport != "inproc+tcp" || !strings.Contains(info.Why, "hosts") {
						return fmt.Errorf("%+v", info)
					}
					if err := everyCollective(ctx, g); err != nil {
						return err
					}
					return sumsOnHosts(ctx, g, exact)
				}))
			})
		}
	}
}

func sumsOnHosts(ctx context.Context, g *allreduce.Group, exact bool) error {
	sizes := []int{1, 1000, 300_000, 5_000_000} // the last is more than one segment
	if raceEnabled {
		sizes = sizes[:3]
	}
	for _, n := range sizes {
		want := inRankOrder(g.Size(), n)
		own, err := allreduce.Alloc[float32](g, n)
		if err != nil {
			return err
		}
		for _, x := range [][]float32{make([]float32, n), own} {
			copy(x, noise(g.Rank(), n))
			if err := allreduce.AllReduce(ctx, g, x, reduce.Sum); err != nil {
				return err
			}
			if exact && !slices.Equal(x, want) {
				return fmt.Errorf("%d elements: the sum is not that of a loop in rank order", n)
			}
		}
		if err := allreduce.Free(g, own); err != nil {
			return err
		}
	}
	return nil
}
