package schedule

import "slices"

// Halving returns the AllReduce of n ranks by recursive halving and doubling: a
// ReduceScatter in which each round exchanges half of what is left with the rank
// at distance 1, 2, 4, …, and an AllGather that goes the same way back
// (Rabenseifner, "Optimization of collective reduction operations", 2004). It
// sends as little as a ring in 2·log2(n) rounds. Contributions are added in rank
// order, though not from left to right. When n is no power of two, the ranks
// beyond one take part through a neighbour. It panics when n < 1.
func Halving(n int) Plan {
	p := newPlan(AllReduce, "halving", n)
	p.Chunks = largestPower(n)
	core := foldExtras(&p)
	for i, r := range core {
		lo, hi := 0, p.Chunks
		var given []Step // what went to the peer in each round, to come back finished
		for d := 1; d < len(core); d *= 2 {
			mid := (lo + hi) / 2
			mine, theirs := Step{Lo: lo, Hi: mid}, Step{Lo: mid, Hi: hi}
			if i&d != 0 {
				mine, theirs = theirs, mine
			}
			p.Steps[r] = appendExchange(p.Steps[r], r, core[i^d], theirs, mine)
			given = append(given, theirs)
			lo, hi = mine.Lo, mine.Hi
		}
		p.Steps[r] = append(p.Steps[r], Step{Finish, -1, lo, hi})
		for k, back := range slices.Backward(given) {
			peer := core[i^1<<k]
			p.Steps[r] = append(p.Steps[r], Step{Send, peer, lo, hi}, Step{Recv, peer, back.Lo, back.Hi})
			lo, hi = min(lo, back.Lo), max(hi, back.Hi)
		}
	}
	returnToExtras(&p)
	return p
}
