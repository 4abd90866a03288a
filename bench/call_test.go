package bench

import (
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

// TestCallLayout holds what is in place against the library's definition: the
// short buffer is the rank's own block of the long one.
func TestCallLayout(t *testing.T) {
	const ranks = 3
	newFakeWorld(ranks).run(t, func(g Group) error {
		a, err := newArena(g, Registered, 1<<10)
		if err != nil {
			return err
		}
		for _, collective := range []Collective{AllReduce, ReduceScatter, AllGather} {
			p := point{collective: collective, typ: reduce.Int32, op: reduce.Sum, total: 60}
			apart := a.call(p, g.Rank(), ranks, false).request
			if mem.Overlap(apart.Src, apart.Dst) {
				t.Errorf("%s out of place: the buffers overlap", collective)
			}
			r := a.call(p, g.Rank(), ranks, true).request
			long, short := r.Dst, r.Src
			if collective == ReduceScatter {
				long, short = r.Src, r.Dst
			}
			want := 80 * g.Rank()
			if collective == AllReduce {
				want = 0
			}
			if off, ok := mem.Contains(long, short); !ok || off != want || long.Len() != 240 {
				t.Errorf("%s rank %d: block of %d bytes at %d of %d; want it at %d", collective, g.Rank(), short.Len(), off, long.Len(), want)
			}
		}
		return a.Close()
	})
}
