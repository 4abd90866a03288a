package schedule

// Chain returns the AllReduce of n ranks for operators that do not commute. Each
// chunk's contributions are reduced in rank order along 0→1→…→n-1, and the
// result, finished on rank n-1, travels n-1→0→1→…→n-2. The chunks follow one
// another as in a pipeline (Patarasuk and Yuan 2009 discuss the pipelined chain).
// There are chainChunks of them at most: whoever runs the plan cuts long chunks
// once more, and short messages are better few. Chain panics when n < 1.
func Chain(n int) Plan {
	p := newPlan(AllReduce, "chain", n)
	p.Chunks = min(n, chainChunks)
	for r := range n - 1 {
		steps := appendChainReduce(make([]Step, 0, 4*n), r, n, p.Chunks)
		p.Steps[r] = appendChainReturn(steps, r, n, p.Chunks)
	}
	p.Steps[n-1] = chainEnd(n, p.Chunks, func(int) int { return 0 })
	return p
}

// chainChunks is how many chunks of a chain are worth their messages: with more
// than that on their way, ranks that share processors take turns more often than
// they get on.
const chainChunks = 4

// ChainReduceScatter returns the ReduceScatter of n ranks for operators that do
// not commute. Each chunk is reduced in rank order along 0→1→…→n-1 and finished
// on rank n-1, which sends it to its owner. It panics when n < 1.
func ChainReduceScatter(n int) Plan {
	p := newPlan(ReduceScatter, "chain", n)
	for r := range n - 1 {
		steps := appendChainReduce(make([]Step, 0, 2*n+1), r, n, n)
		p.Steps[r] = append(steps, Step{Recv, n - 1, r, r + 1})
	}
	p.Steps[n-1] = chainEnd(n, n, func(c int) int { return c })
	return p
}

// appendChainReduce appends the steps with which rank r < n-1 adds its
// contribution to every chunk and passes the partial sum on.
func appendChainReduce(steps []Step, r, n, chunks int) []Step {
	for c := range chunks {
		if r > 0 {
			steps = append(steps, Step{RecvReduce, r - 1, c, c + 1})
		}
		steps = append(steps, Step{Send, r + 1, c, c + 1})
	}
	return steps
}

// appendChainReturn appends the steps with which rank r < n-1 receives every
// result and passes it on.
func appendChainReturn(steps []Step, r, n, chunks int) []Step {
	for c := range chunks {
		steps = append(steps, Step{Recv, (r + n - 1) % n, c, c + 1})
		if r < n-2 {
			steps = append(steps, Step{Send, r + 1, c, c + 1})
		}
	}
	return steps
}

// chainEnd returns the steps of the last rank, which completes every chunk c,
// finishes it and sends it to rank to(c) unless that is itself.
func chainEnd(n, chunks int, to func(c int) int) []Step {
	steps := make([]Step, 0, 3*n)
	for c := range chunks {
		if n > 1 {
			steps = append(steps, Step{RecvReduce, n - 2, c, c + 1})
		}
		steps = append(steps, Step{Finish, -1, c, c + 1})
		if to(c) != n-1 {
			steps = append(steps, Step{Send, to(c), c, c + 1})
		}
	}
	return steps
}
