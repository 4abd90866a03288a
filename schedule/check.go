package schedule

import "fmt"

const (
	maxPlaces  = 1 << 28 // ranks times chunks that Check takes
	maxTouches = 1 << 28 // chunks in all ranges together that Check takes
)

// Check proves p right, or says in a sentence what is wrong. It returns nil only
// when all of this holds:
//
//   - every step is well-formed, and p is no larger than the Max constants;
//   - the k-th send from one rank to another meets the k-th receive there, for the
//     same chunks, and no message is left over;
//   - p cannot deadlock, even where a send completes only with its receive;
//   - every rank's contribution arrives exactly once in every chunk that a rank
//     must end with;
//   - each such chunk is finished exactly once, when complete;
//   - all ranks that end with a chunk sum it in the same order.
//
// Check runs the plan on summation trees instead of numbers, in one of the orders
// that its dependencies allow; all of them give the same trees. It takes time and
// memory in proportion to the ranges of the steps and to ranks times chunks, and
// refuses plans where either exceeds 2^28.
func Check(p Plan) error {
	_, err := perform(&p)
	return err
}

// RankOrdered reports whether p is right ([Check]) and sums every chunk's
// contributions in rank order, though perhaps in any bracketing. Such a plan is fit
// for operators that associate but do not commute. An AllGather sums nothing and
// is always in order.
func RankOrdered(p Plan) bool {
	m, err := perform(&p)
	if err != nil {
		return false
	}
	for c := range p.Chunks {
		switch p.Collective {
		case AllReduce:
			if !m.forest.ranked(*m.at(0, c)) {
				return false
			}
		case ReduceScatter:
			if !m.forest.ranked(*m.at(c, c)) {
				return false
			}
		}
	}
	return true
}

// perform checks p and returns the machine after its last step.
func perform(p *Plan) (*machine, error) {
	if err := p.shape(); err != nil {
		return nil, err
	}
	if err := p.checkSize(); err != nil {
		return nil, err
	}
	w, err := newWiring(p)
	if err != nil {
		return nil, err
	}
	order, err := newWaits(w).order()
	if err != nil {
		return nil, err
	}
	m := newMachine(w)
	if err := m.run(order); err != nil {
		return nil, err
	}
	return m, m.result()
}

// checkSize fails when performing p would take too much memory.
func (p *Plan) checkSize() error {
	touches := 0
	for _, steps := range p.Steps {
		for _, s := range steps {
			touches += s.Hi - s.Lo
		}
	}
	if places := p.Ranks * p.Chunks; places > maxPlaces || touches > maxTouches {
		return fmt.Errorf("schedule: %d ranks with %d chunks and %d chunks in all ranges are too much to check",
			p.Ranks, p.Chunks, touches)
	}
	return nil
}
