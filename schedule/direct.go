package schedule

// Direct returns the AllReduce of n ranks that share memory: each rank sums one
// chunk straight out of all buffers, in rank order, and puts the result into all
// of them. It panics when n < 1.
func Direct(n int) Plan {
	p := newPlan(AllReduce, "direct", n)
	all := upTo(n)
	for r := range n {
		steps := appendMeet(nil, all, r, 0)
		steps = appendWhole(steps, all, r)
		for d := 1; d < n; d++ {
			steps = append(steps, Step{Put, (r + d) % n, r, r + 1})
		}
		p.Steps[r] = appendMeet(steps, all, r, 1)
	}
	return p
}

// DirectPull is Direct, but ranks read each other's results instead of writing
// them. It panics when n < 1.
func DirectPull(n int) Plan {
	p := newPlan(AllReduce, "direct-pull", n)
	all := upTo(n)
	for r := range n {
		steps := appendMeet(nil, all, r, 0)
		steps = appendWhole(steps, all, r)
		steps = append(steps, Step{Signal, -1, 1, 2})
		for d := 1; d < n; d++ {
			q := (r + d) % n
			steps = append(steps, Step{Await, q, 1, 2}, Step{Copy, q, q, q + 1})
		}
		p.Steps[r] = appendMeet(steps, all, r, 2)
	}
	return p
}

// DirectReduceScatter returns the ReduceScatter of n ranks that share memory. It
// panics when n < 1.
func DirectReduceScatter(n int) Plan {
	p := newPlan(ReduceScatter, "direct", n)
	all := upTo(n)
	for r := range n {
		steps := appendWhole(appendMeet(nil, all, r, 0), all, r)
		p.Steps[r] = appendMeet(steps, all, r, 1)
	}
	return p
}

// DirectAllGather returns the AllGather of n ranks that share memory. It panics
// when n < 1.
func DirectAllGather(n int) Plan {
	p := newPlan(AllGather, "direct", n)
	all := upTo(n)
	for r := range n {
		steps := []Step{{Signal, -1, 0, 1}}
		for d := 1; d < n; d++ {
			q := (r + d) % n
			steps = append(steps, Step{Await, q, 0, 1}, Step{Copy, q, q, q + 1})
		}
		p.Steps[r] = appendMeet(steps, all, r, 1)
	}
	return p
}

// DirectBroadcast returns the Broadcast from root of n ranks that share memory.
// It panics when n < 1.
func DirectBroadcast(n, root int) Plan {
	p := newPlan(Broadcast, "direct", n)
	p.Chunks, p.Root = 1, root
	all := upTo(n)
	for r := range n {
		steps := []Step{{Signal, -1, 0, 1}}
		if r != root {
			steps = append(steps, Step{Await, root, 0, 1}, Step{Copy, root, 0, 1})
		}
		p.Steps[r] = appendMeet(steps, all, r, 1)
	}
	return p
}

// upTo lists the ranks 0 to n-1.
func upTo(n int) []int {
	ranks := make([]int, n)
	for r := range ranks {
		ranks[r] = r
	}
	return ranks
}

// appendMeet appends rank ranks[i]'s signal k and its waits for that of all others
// of ranks, nearest first.
func appendMeet(steps []Step, ranks []int, i, k int) []Step {
	steps = append(steps, Step{Signal, -1, k, k + 1})
	for d := 1; d < len(ranks); d++ {
		steps = append(steps, Step{Await, ranks[(i+d)%len(ranks)], k, k + 1})
	}
	return steps
}

// appendSum appends the sum of chunks over the memory of ranks, in order. first is
// Load, or Fold to go on from what the accumulators hold.
func appendSum(steps []Step, first Op, ranks []int, lo, hi int) []Step {
	for _, r := range ranks {
		steps = append(steps, Step{first, r, lo, hi})
		first = Fold
	}
	return append(steps, Step{Store, -1, lo, hi})
}

// appendWhole appends the sum of a chunk over the memory of all ranks, finished.
func appendWhole(steps []Step, ranks []int, chunk int) []Step {
	return append(appendSum(steps, Load, ranks, chunk, chunk+1), Step{Finish, -1, chunk, chunk + 1})
}
