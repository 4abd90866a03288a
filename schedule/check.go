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
//   - no two ranks access a chunk in shared memory, one of them writing, without a
//     signal in between; nor does one access another's memory before that rank
//     has signalled, or after it has ended;
//   - no accumulator is used when it is empty, or filled when it is full;
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
	return m.sums(m.forest.ranked)
}

// InRankOrder reports whether p is right ([Check]) and sums every chunk's
// contributions one after the other in rank order, ((0 ∘ 1) ∘ 2) ∘ …, where the
// two operands of an ∘ may have changed places. All such plans give the same bits
// for an operator that commutes: it is the order that a loop over the ranks has.
// AllGather and Broadcast sum nothing and always are in order.
func InRankOrder(p Plan) bool {
	m, err := perform(&p)
	if err != nil {
		return false
	}
	return m.sums(m.forest.leftToRight)
}

// sums reports whether the sums that the plan ends with all are as wanted.
func (m *machine) sums(wanted func(tree) bool) bool {
	for c := range m.plan.Chunks {
		switch m.plan.Collective {
		case AllReduce:
			if !wanted(*m.at(0, c)) {
				return false
			}
		case ReduceScatter:
			if !wanted(*m.at(c, c)) {
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
			if s.Op != Signal && s.Op != Await {
				touches += s.Hi - s.Lo
			}
		}
	}
	if places := p.Ranks * p.Chunks; places > maxPlaces || touches > maxTouches {
		return fmt.Errorf("schedule: %d ranks with %d chunks and %d chunks in all ranges are too much to check",
			p.Ranks, p.Chunks, touches)
	}
	return nil
}
