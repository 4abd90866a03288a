package schedule

import (
	"fmt"
	"slices"
)

// races watches all accesses to memory that ranks share and finds two that no
// signal puts in order. It sees the steps in one of the orders that the plan
// allows; since which step signals which is fixed, a race in any order shows in
// every order (as in vector-clock race detectors; Fidge and Mattern, 1988).
//
// Time is counted in signals: what a rank does before its signal number k, and
// after the one before, is its epoch k. An access in epoch k of rank q happens
// before a step of rank r if r has awaited signal k of q, or somebody's signal
// that came after such an await. Messages order more than is counted here; what
// races says is in order, is.
type races struct {
	*wiring
	given  []int32   // by rank: signals so far, its present epoch
	known  [][]int32 // by rank: how many signals of each rank happened before
	at     [][][]int32
	writes []access   // by rank and chunk: the latest write
	reads  [][]access // by rank and chunk: the reads since
}

// access is a step on a chunk, and its rank's epoch.
type access struct {
	step  int32 // -1: none
	epoch int32
}

func newRaces(w *wiring) *races {
	p := w.plan
	r := &races{wiring: w, given: make([]int32, p.Ranks), known: make([][]int32, p.Ranks), at: make([][][]int32, p.Ranks),
		writes: slices.Repeat([]access{{step: -1}}, p.Ranks*p.Chunks), reads: make([][]access, p.Ranks*p.Chunks)}
	for i := range r.known {
		r.known[i] = make([]int32, p.Ranks)
	}
	return r
}

// step takes account of step g, whose predecessors have all been seen.
func (r *races) step(g int32) error {
	rank, s := int(r.rank[g]), r.wiring.step(g)
	switch s.Op {
	case Signal:
		r.given[rank]++
		r.known[rank][rank] = r.given[rank]
		r.at[rank] = append(r.at[rank], slices.Clone(r.known[rank]))
		return nil
	case Await:
		for q, n := range r.at[s.Peer][s.Lo] {
			r.known[rank][q] = max(r.known[rank][q], n)
		}
		return nil
	}
	reads, writes := s.touches(rank)
	for c := s.Lo; c < s.Hi; c++ {
		var err error
		switch {
		case s.Op == Put:
			if err = r.access(g, rank, c, false); err == nil {
				err = r.access(g, s.Peer, c, true)
			}
		case s.Op == Copy:
			if err = r.access(g, s.Peer, c, false); err == nil {
				err = r.access(g, rank, c, true)
			}
		case (s.Op == Load || s.Op == Fold) && s.Peer != rank:
			err = r.access(g, s.Peer, c, false)
		case reads || writes:
			err = r.access(g, rank, c, writes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// access notes that step g reads or writes a chunk of owner's memory, and fails if
// another rank's access is not in order with it.
func (r *races) access(g int32, owner, chunk int, write bool) error {
	i := owner*r.plan.Chunks + chunk
	if rank := int(r.rank[g]); rank != owner && r.known[rank][owner] == 0 {
		return r.plan.errorAt(rank, int(g-r.first[rank]), fmt.Sprintf("chunk %d of rank %d is used before a signal says that the rank has begun", chunk, owner))
	}
	if err := r.inOrder(g, r.writes[i], owner, chunk); err != nil {
		return err
	}
	now := access{g, r.given[r.rank[g]]}
	if !write {
		r.reads[i] = append(r.reads[i], now)
		return nil
	}
	for _, before := range r.reads[i] {
		if err := r.inOrder(g, before, owner, chunk); err != nil {
			return err
		}
	}
	r.writes[i], r.reads[i] = now, r.reads[i][:0]
	return nil
}

// inOrder fails unless before happened before step g, or is the same rank's.
func (r *races) inOrder(g int32, before access, owner, chunk int) error {
	if before.step < 0 || r.rank[before.step] == r.rank[g] {
		return nil
	}
	if r.known[r.rank[g]][r.rank[before.step]] > before.epoch {
		return nil
	}
	rank := r.rank[g]
	return r.plan.errorAt(int(rank), int(g-r.first[rank]), fmt.Sprintf("a race for chunk %d of rank %d with %s: no signal says which comes first",
		chunk, owner, r.describe(before.step)))
}

// end fails if a rank may have ended, and use its memory for something else, while
// another still works on it.
func (r *races) end() error {
	for i, write := range r.writes {
		owner := int32(i / r.plan.Chunks)
		for _, a := range append(r.reads[i], write) {
			if a.step < 0 || r.rank[a.step] == owner || r.known[owner][r.rank[a.step]] > a.epoch {
				continue
			}
			return fmt.Errorf("schedule: rank %d ends without a signal that says that %s is done with its chunk %d", owner, r.describe(a.step), i%r.plan.Chunks)
		}
	}
	return nil
}
