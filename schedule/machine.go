package schedule

import "fmt"

// machine runs a plan on summation trees in place of numbers.
type machine struct {
	*wiring
	forest *forest
	held   []tree // by rank and chunk: what the rank's buffer holds
	acc    []tree // by rank and chunk: what the accumulator holds; nil in plans without
	races  *races // nil in plans without shared memory
}

// newMachine returns a machine before the first step: every rank holds its own
// contribution to every chunk, in an AllGather the chunk it owns, in a Broadcast
// nothing unless it is the root.
func newMachine(w *wiring) *machine {
	p := w.plan
	m := &machine{wiring: w, forest: newForest(p.Ranks), held: make([]tree, p.Ranks*p.Chunks)}
	for r := range p.Ranks {
		for c := range p.Chunks {
			*m.at(r, c) = tree(r)
			if p.Collective == AllGather && c != r || p.Collective == Broadcast && r != p.Root {
				*m.at(r, c) = nothing
			}
		}
	}
	if p.accumulates() {
		m.acc = make([]tree, p.Ranks*p.Chunks)
		for i := range m.acc {
			m.acc[i] = nothing
		}
	}
	if p.isDirect() {
		m.races = newRaces(w)
	}
	return m
}

// at returns the place of a rank's chunk, and accAt that of its accumulator.
func (m *machine) at(rank, chunk int) *tree { return &m.held[rank*m.plan.Chunks+chunk] }

func (m *machine) accAt(rank, chunk int) *tree { return &m.acc[rank*m.plan.Chunks+chunk] }

// run performs the events in this order.
func (m *machine) run(order []int32) error {
	for _, e := range order {
		var err error
		switch {
		case m.mate[e] < 0:
			err = m.alone(e)
		case m.step(e).Op == Send:
			err = m.deliver(e, m.mate[e])
		default:
			err = m.deliver(m.mate[e], e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// alone performs step g, which is no message.
func (m *machine) alone(g int32) error {
	if m.races != nil {
		if err := m.races.step(g); err != nil {
			return err
		}
	}
	rank, s := int(m.rank[g]), m.step(g)
	if s.Op == Signal || s.Op == Await {
		return nil
	}
	for c := s.Lo; c < s.Hi; c++ {
		var err error
		switch s.Op {
		case Finish:
			err = m.finish(g, c)
		case Load, Fold:
			err = m.accumulate(g, g, c, *m.at(s.Peer, c))
		case Store:
			acc := m.accAt(rank, c)
			if *acc == nothing {
				return m.errorf(g, "the accumulator of chunk %d is empty", c)
			}
			*m.at(rank, c), *acc = *acc, nothing
		case Copy:
			err = m.move(g, s.Peer, rank, c)
		case Put:
			err = m.move(g, rank, s.Peer, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// move copies a chunk from one rank's memory to another's.
func (m *machine) move(g int32, from, to, c int) error {
	t := *m.at(from, c)
	if t == nothing {
		return m.errorf(g, "rank %d does not hold chunk %d yet", from, c)
	}
	*m.at(to, c) = t
	return nil
}

// finish performs the Finish g on a chunk.
func (m *machine) finish(g int32, c int) error {
	place := m.at(int(m.rank[g]), c)
	if *place&finished != 0 {
		return m.errorf(g, "chunk %d was finished before", c)
	}
	if fault := m.forest.fault(*place); fault != "" {
		return m.errorf(g, "chunk %d holds %s", c, fault)
	}
	*place |= finished
	return nil
}

// accumulate performs step g on the accumulator of a chunk; what comes is in, from
// the step by.
func (m *machine) accumulate(g, by int32, c int, in tree) error {
	acc := m.accAt(int(m.rank[g]), c)
	op := m.step(g).Op
	first := op == Load || op == RecvLoad
	switch {
	case in == nothing:
		return m.errorf(by, "the rank does not hold chunk %d yet", c)
	case in&finished != 0:
		return m.errorf(g, "chunk %d comes finished, so it cannot be reduced", c)
	case first && *acc != nothing:
		return m.errorf(g, "the accumulator of chunk %d is full", c)
	case first:
		*acc = in
	case *acc == nothing:
		return m.errorf(g, "the accumulator of chunk %d is empty", c)
	default:
		*acc = m.forest.join(*acc, in)
	}
	return nil
}

// deliver performs a send and its receive.
func (m *machine) deliver(send, recv int32) error {
	if m.races != nil {
		for _, g := range []int32{send, recv} {
			if err := m.races.step(g); err != nil {
				return err
			}
		}
	}
	s := m.step(recv)
	for c := s.Lo; c < s.Hi; c++ {
		in, place := *m.at(int(m.rank[send]), c), m.at(int(m.rank[recv]), c)
		switch {
		case s.Op.accumulates():
			if err := m.accumulate(recv, send, c, in); err != nil {
				return err
			}
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
	if m.races != nil {
		if err := m.races.end(); err != nil {
			return err
		}
	}
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
	case m.plan.Collective == Broadcast:
		if t == nothing {
			return fmt.Sprintf("nothing in chunk %d, which rank %d has", chunk, m.plan.Root)
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
