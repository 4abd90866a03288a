package schedule

// Doubling returns the AllReduce of n ranks by recursive doubling: in round k
// every rank exchanges all it has with the rank at distance 2^k, so that after
// log2(n) rounds each has added everything (Thakur, Rabenseifner and Gropp 2005).
// The lower rank's partial sum is always the left operand, so contributions are
// added in rank order, though not from left to right. When n is no power of two,
// the ranks beyond one take part through a neighbour. It panics when n < 1.
func Doubling(n int) Plan {
	p := newPlan(AllReduce, "doubling", n)
	p.Chunks = 1
	core := foldExtras(&p)
	for i, r := range core {
		for d := 1; d < len(core); d *= 2 {
			p.Steps[r] = appendExchange(p.Steps[r], r, core[i^d], Step{Lo: 0, Hi: 1}, Step{Lo: 0, Hi: 1})
		}
		p.Steps[r] = append(p.Steps[r], Step{Finish, -1, 0, 1})
	}
	returnToExtras(&p)
	return p
}

// foldExtras begins p with the steps by which the extra ranks hand their
// contributions to a neighbour, so that a power of two of ranks remains: of the
// first 2·extra ranks, each even one sends to the odd one after it. It returns the
// ranks that remain, ascending.
func foldExtras(p *Plan) (core []int) {
	extra := p.Ranks - largestPower(p.Ranks)
	for r := range p.Ranks {
		switch {
		case r >= 2*extra:
			core = append(core, r)
		case r%2 == 0:
			p.Steps[r] = append(p.Steps[r], Step{Send, r + 1, 0, p.Chunks})
		default:
			p.Steps[r] = append(p.Steps[r], Step{RecvReduce, r - 1, 0, p.Chunks})
			core = append(core, r)
		}
	}
	return core
}

// returnToExtras ends p with the steps by which the extra ranks get the result.
func returnToExtras(p *Plan) {
	extra := p.Ranks - largestPower(p.Ranks)
	for r := range 2 * extra {
		if r%2 == 0 {
			p.Steps[r] = append(p.Steps[r], Step{Recv, r + 1, 0, p.Chunks})
		} else {
			p.Steps[r] = append(p.Steps[r], Step{Send, r - 1, 0, p.Chunks})
		}
	}
}

// largestPower is the largest power of two that is not above n.
func largestPower(n int) int {
	p := 1
	for p*2 <= n {
		p *= 2
	}
	return p
}

// appendExchange appends the steps of rank r that send peer the chunks of out and
// add what peer sends of in, the lower rank's sum on the left.
func appendExchange(steps []Step, r, peer int, out, in Step) []Step {
	steps = append(steps, Step{Send, peer, out.Lo, out.Hi})
	if peer < r {
		return append(steps, Step{RecvReduce, peer, in.Lo, in.Hi})
	}
	return append(steps, Step{Load, r, in.Lo, in.Hi}, Step{RecvFold, peer, in.Lo, in.Hi}, Step{Store, -1, in.Lo, in.Hi})
}

// DoublingAllGather returns the AllGather of n ranks by recursive doubling: in
// round k every rank exchanges all blocks that it has with the rank at distance
// 2^k (Thakur, Rabenseifner and Gropp 2005). n is a power of two; it panics
// otherwise.
func DoublingAllGather(n int) Plan {
	p := newPlan(AllGather, "doubling", n)
	if largestPower(n) != n {
		panic("schedule: a doubling allgather of ranks that are no power of two")
	}
	for r := range n {
		for d := 1; d < n; d *= 2 {
			mine, theirs := r&^(d-1), r&^(d-1)^d
			p.Steps[r] = append(p.Steps[r], Step{Send, r ^ d, mine, mine + d}, Step{Recv, r ^ d, theirs, theirs + d})
		}
	}
	return p
}
