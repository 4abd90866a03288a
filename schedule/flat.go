package schedule

// Flat returns the AllReduce of n ranks in which every rank sends its whole
// buffer to every other, and each adds all of them in rank order. One hop is all
// there is, at the price of n-1 times the bytes: it is for small messages. It
// panics when n < 1.
func Flat(n int) Plan {
	p := newPlan(AllReduce, "flat", n)
	p.Chunks = 1
	for r := range n {
		var steps []Step
		for d := 1; d < n; d++ {
			steps = append(steps, Step{Send, (r + d) % n, 0, 1})
		}
		p.Steps[r] = appendRankSum(steps, r, n, 0)
	}
	return p
}

// FlatReduceScatter returns the ReduceScatter of n ranks in which every rank sends
// each other its block, and each adds its own block in rank order. It panics when
// n < 1.
func FlatReduceScatter(n int) Plan {
	p := newPlan(ReduceScatter, "flat", n)
	for r := range n {
		p.Steps[r] = appendRankSum(appendSpread(nil, r, n), r, n, r)
	}
	return p
}

// FlatAllGather returns the AllGather of n ranks in which every rank sends its
// block to every other. It panics when n < 1.
func FlatAllGather(n int) Plan {
	p := newPlan(AllGather, "flat", n)
	for r := range n {
		p.Steps[r] = appendCollect(nil, r, n)
	}
	return p
}

// FlatBroadcast returns the Broadcast of n ranks in which root sends to every
// other. It panics when n < 1.
func FlatBroadcast(n, root int) Plan {
	p := newPlan(Broadcast, "flat", n)
	p.Chunks, p.Root = 1, root
	for r := range n {
		if r != root {
			p.Steps[root] = append(p.Steps[root], Step{Send, r, 0, 1})
			p.Steps[r] = []Step{{Recv, root, 0, 1}}
		}
	}
	return p
}

// appendSpread appends the steps with which rank r sends every other rank its
// chunk, nearest first, so that not all ranks send to one.
func appendSpread(steps []Step, r, n int) []Step {
	for d := 1; d < n; d++ {
		q := (r + d) % n
		steps = append(steps, Step{Send, q, q, q + 1})
	}
	return steps
}

// appendCollect appends the steps with which rank r sends its chunk to every
// other rank and receives theirs.
func appendCollect(steps []Step, r, n int) []Step {
	for d := 1; d < n; d++ {
		steps = append(steps, Step{Send, (r + d) % n, r, r + 1})
	}
	for d := 1; d < n; d++ {
		q := (r + n - d) % n
		steps = append(steps, Step{Recv, q, q, q + 1})
	}
	return steps
}

// appendRankSum appends the sum of a chunk, in rank order, of what the other
// ranks send to rank r and of its own contribution.
func appendRankSum(steps []Step, r, n, chunk int) []Step {
	for q := range n {
		op := RecvFold
		switch {
		case q == r && q == 0:
			op = Load
		case q == r:
			op = Fold
		case q == 0:
			op = RecvLoad
		}
		steps = append(steps, Step{op, q, chunk, chunk + 1})
	}
	return append(steps, Step{Store, -1, chunk, chunk + 1}, Step{Finish, -1, chunk, chunk + 1})
}
