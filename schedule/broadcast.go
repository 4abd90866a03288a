package schedule

// BinomialBroadcast returns the Broadcast of n ranks along a binomial tree: in
// each round every rank that has the data sends it to one that has not (Thakur,
// Rabenseifner and Gropp 2005). It panics when n < 1.
func BinomialBroadcast(n, root int) Plan {
	p := newPlan(Broadcast, "binomial", n)
	p.Chunks, p.Root = 1, root
	rank := func(v int) int { return (v + root) % n } // of the v-th place, the root's being 0
	top := largestPower(max(n-1, 1))
	for v := range n {
		for d := top; d >= 1; d /= 2 {
			switch {
			case v%(2*d) == 0 && v+d < n:
				p.Steps[rank(v)] = append(p.Steps[rank(v)], Step{Send, rank(v + d), 0, 1})
			case v%(2*d) == d:
				p.Steps[rank(v)] = append(p.Steps[rank(v)], Step{Recv, rank(v - d), 0, 1})
			}
		}
	}
	return p
}

// ScatterBroadcast returns the Broadcast of n ranks for long messages: root sends
// each rank one chunk, and then all ranks pass chunks around a ring (van de Geijn;
// in Thakur, Rabenseifner and Gropp 2005). Every link carries little more than the
// message once. It panics when n < 1.
func ScatterBroadcast(n, root int) Plan {
	p := newPlan(Broadcast, "scatter", n)
	p.Root = root
	for r := range n {
		if r != root {
			p.Steps[root] = append(p.Steps[root], Step{Send, r, r, r + 1})
			p.Steps[r] = append(p.Steps[r], Step{Recv, root, r, r + 1})
		}
	}
	for r := range n {
		for _, s := range appendRingGather(nil, r, n) {
			if s.Op == Recv && r == root || s.Op == Send && s.Peer == root {
				continue // root has everything
			}
			p.Steps[r] = append(p.Steps[r], s)
		}
	}
	return p
}
