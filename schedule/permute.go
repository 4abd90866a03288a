package schedule

import (
	"fmt"
	"slices"
)

// Permute returns p with its ranks in another order, for instance one that
// follows the machines' cabling: what rank i does in p, rank order[i] does in
// the result. Where chunks have owners (ReduceScatter, AllGather) they are
// renumbered along, so that rank r still owns chunk r; a step whose chunks are
// then no longer adjacent becomes several. A plan that was right stays right,
// but a rank-ordered one ([RankOrdered]) is so no longer, unless order is the
// identity. Permute fails when p is ill-formed or order is not a permutation of
// p's ranks.
func Permute(p Plan, order []int) (Plan, error) {
	if err := p.shape(); err != nil {
		return Plan{}, err
	}
	if err := checkOrder(order, p.Ranks); err != nil {
		return Plan{}, err
	}
	q := p
	q.Root = order[p.Root]
	if p.Collective != Broadcast {
		q.Root = 0
	}
	q.Steps = make([][]Step, p.Ranks)
	for i, steps := range p.Steps {
		out := make([]Step, 0, len(steps))
		for _, s := range steps {
			if !s.Op.alone() {
				s.Peer = order[s.Peer]
			}
			if p.Collective == AllReduce || p.Collective == Broadcast || s.Op == Signal || s.Op == Await {
				out = append(out, s)
			} else {
				out = appendRenumbered(out, s, order)
			}
		}
		q.Steps[order[i]] = out
	}
	return q, nil
}

// appendRenumbered appends s with every chunk c renumbered order[c], as one step
// for each run of adjacent chunks, in ascending order. A send and its receive
// have the same chunks, so they fall into the same steps.
func appendRenumbered(steps []Step, s Step, order []int) []Step {
	chunks := slices.Sorted(slices.Values(order[s.Lo:s.Hi]))
	for len(chunks) > 0 {
		n := 1
		for n < len(chunks) && chunks[n] == chunks[0]+n {
			n++
		}
		s.Lo, s.Hi = chunks[0], chunks[0]+n
		steps = append(steps, s)
		chunks = chunks[n:]
	}
	return steps
}

// checkOrder says why order is no permutation of 0..n-1, or returns nil.
func checkOrder(order []int, n int) error {
	if len(order) != n {
		return fmt.Errorf("schedule: the order lists %d ranks, the plan has %d", len(order), n)
	}
	at := make([]int, n) // 1 + the position of each rank seen
	for i, r := range order {
		if r < 0 || r >= n {
			return fmt.Errorf("schedule: the order's position %d holds rank %d, which is not in 0..%d", i, r, n-1)
		}
		if at[r] != 0 {
			return fmt.Errorf("schedule: the order holds rank %d twice, at positions %d and %d", r, at[r]-1, i)
		}
		at[r] = i + 1
	}
	return nil
}
