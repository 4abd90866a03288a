package schedule

import "fmt"

// machine runs a plan on summation trees in place of numbers.
type machine struct {
	*wiring
	forest *forest
	held   []tree // by rank and chunk: what the rank's buffer holds
}

// newMachine returns a machine before the first step: every rank holds its own
// contribution to every chunk or, in an AllGather, the chunk it owns.
func newMachine(w *wiring) *machine {
	p := w.plan
	m := &machine{wiring: w, forest: newForest(p.Ranks), held: make([]tree, p.Ranks*p.Chunks)}
	for r := range p.Ranks {
		for c := range p.Chunks {
			*m.at(r, c) = tree(r)
			if p.Collective == AllGather && c != r {
				*m.at(r, c) = nothing
			}
		}
	}
	return m
}

// at returns the place of a rank's chunk.
func (m *machine) at(rank, chunk int) *tree { return &m.held[rank*m.plan.Chunks+chunk] }

// run performs the events in this order.
func (m *machine) run(order []int32) error {
	for _, e := range order {
		var err error
		if m.mate[e] < 0 {
			err = m.finish(e)
		} else if m.step(e).Op == Send {
			err = m.deliver(e, m.mate[e])
		} else {
			err = m.deliver(m.mate[e], e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish performs the Finish g.
func (m *machine) finish(g int32) error {
	s := m.step(g)
	for c := s.Lo; c < s.Hi; c++ {
		place := m.at(int(m.rank[g]), c)
		if *place&finished != 0 {
			return m.errorf(g, "chunk %d was finished before", c)
		}
		if fault := m.forest.fault(*place); fault != "" {
			return m.errorf(g, "chunk %d holds %s", c, fault)
		}
		*place |= finished
	}
	return nil
}

// deliver performs a send and its receive.
func (m *machine) deliver(send, recv int32) error {
	s := m.step(recv)
	for c := s.Lo; c < s.Hi; c++ {
		in, place := *m.at(int(m.rank[send]), c), m.at(int(m.rank[recv]), c)
		switch {
		case in == nothing:
			return m.errorf(send, "the rank does not hold chunk %d yet", c)
		case s.Op == Recv:
			*place = in
		case in&finished != 0:
			return m.errorf(recv, "chunk %d comes finished, so it cannot be reduced", c)
		case *place&finished != 0:
			return m.errorf(recv, "chunk %d was finished before, so nothing can be reduced into it", c)
		default:
			*place = m.forest.join(in, *place)
		}
	}
	return nil
}

// errorf is the error that step g has this fault.
func (m *machine) errorf(g int32, format string, args ...any) error {
	r := m.rank[g]
	return m.plan.errorAt(int(r), int(g-m.first[r]), fmt.Sprintf(format, args...))
}

// result checks what the ranks hold in the end.
func (m *machine) result() error {
	for r := range m.plan.Ranks {
		for c := range m.plan.Chunks {
			if m.plan.Collective == ReduceScatter && c != r {
				continue
			}
			if fault := m.resultFault(r, c); fault != "" {
				return fmt.Errorf("schedule: rank %d ends with %s", r, fault)
			}
		}
	}
	return nil
}

// resultFault says what is wrong with the chunk that rank must end with, or
// returns "". A finished tree is known to be complete.
func (m *machine) resultFault(rank, chunk int) string {
	t := *m.at(rank, chunk)
	switch {
	case m.plan.Collective == AllGather:
		if t == nothing {
			return fmt.Sprintf("nothing in chunk %d, which rank %d owns", chunk, chunk)
		}
	case t&finished == 0:
		if fault := m.forest.fault(t); fault != "" {
			return fmt.Sprintf("%s in chunk %d", fault, chunk)
		}
		return fmt.Sprintf("chunk %d complete but not finished", chunk)
	case m.plan.Collective == AllReduce && t != *m.at(0, chunk):
		return fmt.Sprintf("chunk %d summed in another order than on rank 0", chunk)
	}
	return ""
}
