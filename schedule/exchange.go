package schedule

// Exchange returns the AllReduce of n ranks in which every rank sends each chunk
// straight to the one rank that adds it, in rank order, and gets the result back
// from there. Like a ring it sends 2(n-1) chunks of n, but in two hops instead of
// 2(n-1); every rank is connected with every other. (The pairwise exchange of
// Thakur, Rabenseifner and Gropp, 2005, for both halves.) It panics when n < 1.
func Exchange(n int) Plan {
	p := newPlan(AllReduce, "exchange", n)
	for r := range n {
		steps := appendRankSum(appendSpread(nil, r, n), r, n, r)
		p.Steps[r] = appendCollect(steps, r, n)
	}
	return p
}

// ExchangeReduceScatter is the first half of [Exchange]. It panics when n < 1.
func ExchangeReduceScatter(n int) Plan {
	p := FlatReduceScatter(n)
	p.Name = "exchange"
	return p
}

// ExchangeAllGather is the second half of [Exchange]. It panics when n < 1.
func ExchangeAllGather(n int) Plan {
	p := FlatAllGather(n)
	p.Name = "exchange"
	return p
}
