package schedule

// Ring returns the AllReduce of n ranks in a ring: [RingReduceScatter], then
// [RingAllGather]. Every rank sends 2(n-1) chunks of n, which is the least any
// AllReduce can (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations", 2009). The summation of chunk c starts at rank
// c+1 and goes round, so the operator must commute. Ring panics when n < 1.
func Ring(n int) Plan {
	p := newPlan(AllReduce, "ring", n)
	for r := range p.Steps {
		steps := make([]Step, 0, 4*n-3)
		steps = appendRingReduce(steps, r, n)
		p.Steps[r] = appendRingGather(steps, r, n)
	}
	return p
}

// RingReduceScatter returns the ReduceScatter of n ranks in a ring (Patarasuk
// and Yuan 2009; the "bucket" algorithm of Thakur, Rabenseifner and Gropp,
// "Optimization of collective communication operations in MPICH", 2005). Partial
// sums travel round; each rank adds its contribution and passes the sum on. It
// panics when n < 1.
func RingReduceScatter(n int) Plan {
	p := newPlan(ReduceScatter, "ring", n)
	for r := range p.Steps {
		p.Steps[r] = appendRingReduce(make([]Step, 0, 2*n-1), r, n)
	}
	return p
}

// RingAllGather returns the AllGather of n ranks in a ring (Thakur, Rabenseifner
// and Gropp 2005): every rank passes on the chunk it received last. It panics
// when n < 1.
func RingAllGather(n int) Plan {
	p := newPlan(AllGather, "ring", n)
	for r := range p.Steps {
		p.Steps[r] = appendRingGather(make([]Step, 0, 2*n-2), r, n)
	}
	return p
}

// appendRingReduce appends the steps after which rank r of n holds the finished
// chunk r.
func appendRingReduce(steps []Step, r, n int) []Step {
	next, last := (r+1)%n, (r+n-1)%n
	for s := range n - 1 {
		out, in := (r-s-1+n)%n, (r-s-2+2*n)%n
		steps = append(steps,
			Step{Send, next, out, out + 1},
			Step{RecvReduce, last, in, in + 1})
	}
	return append(steps, Step{Finish, -1, r, r + 1})
}

// appendRingGather appends the steps that take rank r of n from holding chunk r
// to holding all.
func appendRingGather(steps []Step, r, n int) []Step {
	next, last := (r+1)%n, (r+n-1)%n
	for s := range n - 1 {
		out, in := (r-s+n)%n, (r-s-1+n)%n
		steps = append(steps,
			Step{Send, next, out, out + 1},
			Step{Recv, last, in, in + 1})
	}
	return steps
}
