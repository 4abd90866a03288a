package schedule

// Direct returns the AllReduce of n ranks that share memory: each rank sums one
// chunk straight out of all buffers, in rank order, and puts the result into all
// of them. It panics when n < 1.
func Direct(n int) Plan {
	p := newPlan(AllReduce, "direct", n)
	for r := range n {
		steps := appendMeet(nil, r, n, 0)
		steps = appendSum(steps, r, n, r)
		for d := 1; d < n; d++ {
			steps = append(steps, Step{Put, (r + d) % n, r, r + 1})
		}
		p.Steps[r] = appendMeet(steps, r, n, 1)
	}
	return p
}

// DirectPull is Direct, but ranks read each other's results instead of writing
// them. It panics when n < 1.
func DirectPull(n int) Plan {
	p := newPlan(AllReduce, "direct-pull", n)
	for r := range n {
		steps := appendMeet(nil, r, n, 0)
		steps = appendSum(steps, r, n, r)
		steps = append(steps, Step{Signal, -1, 1, 2})
		for d := 1; d < n; d++ {
			q := (r + d) % n
			steps = append(steps, Step{Await, q, 1, 2}, Step{Copy, q, q, q + 1})
		}
		p.Steps[r] = appendMeet(steps, r, n, 2)
	}
	return p
}

// DirectReduceScatter returns the ReduceScatter of n ranks that share memory. It
// panics when n < 1.
func DirectReduceScatter(n int) Plan {
	p := newPlan(ReduceScatter, "direct", n)
	for r := range n {
		steps := appendSum(appendMeet(nil, r, n, 0), r, n, r)
		p.Steps[r] = appendMeet(steps, r, n, 1)
	}
	return p
}

// DirectAllGather returns the AllGather of n ranks that share memory. It panics
// when n < 1.
func DirectAllGather(n int) Plan {
	p := newPlan(AllGather, "direct", n)
	for r := range n {
		steps := []Step{{Signal, -1, 0, 1}}
		for d := 1; d < n; d++ {
			q := (r + d) % n
			steps = append(steps, Step{Await, q, 0, 1}, Step{Copy, q, q, q + 1})
		}
		p.Steps[r] = appendMeet(steps, r, n, 1)
	}
	return p
}

// DirectBroadcast returns the Broadcast from root of n ranks that share memory.
// It panics when n < 1.
func DirectBroadcast(n, root int) Plan {
	p := newPlan(Broadcast, "direct", n)
	p.Chunks, p.Root = 1, root
	for r := range n {
		steps := []Step{{Signal, -1, 0, 1}}
		if r != root {
			steps = append(steps, Step{Await, root, 0, 1}, Step{Copy, root, 0, 1})
		}
		p.Steps[r] = appendMeet(steps, r, n, 1)
	}
	return p
}

// appendMeet appends rank r's signal k and its waits for everybody else's.
func appendMeet(steps []Step, r, n, k int) []Step {
	steps = append(steps, Step{Signal, -1, k, k + 1})
	for d := 1; d < n; d++ {
		steps = append(steps, Step{Await, (r + d) % n, k, k + 1})
	}
	return steps
}

// appendSum appends the sum of a chunk over all ranks' memory, in rank order.
func appendSum(steps []Step, r, n, chunk int) []Step {
	op := Load
	for q := range n {
		steps = append(steps, Step{op, q, chunk, chunk + 1})
		op = Fold
	}
	return append(steps, Step{Store, -1, chunk, chunk + 1}, Step{Finish, -1, chunk, chunk + 1})
}
