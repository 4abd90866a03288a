package schedule

import (
	"fmt"
	"iter"
)

// tree names a summation tree: how a value was put together from the ranks'
// contributions. Tree r < ranks is rank r's contribution itself. Equal trees
// have equal names.
type tree uint32

const (
	// finished marks a tree to which the operator's closing step was applied.
	finished tree = 1 << 31
	// nothing is the tree of a chunk that holds no data yet.
	nothing tree = 1<<31 - 1
)

// sum is a tree's node: in ∘ local.
type sum struct{ in, local tree }

// forest holds all trees of a plan, each once.
type forest struct {
	ranks int
	sums  []sum // tree ranks+i is sums[i]
	names map[sum]tree
	seen  []bool // by rank, scratch of fault
}

func newForest(ranks int) *forest {
	return &forest{ranks: ranks, names: make(map[sum]tree), seen: make([]bool, ranks)}
}

// join returns the tree of in ∘ local.
func (f *forest) join(in, local tree) tree {
	s := sum{in, local}
	t, ok := f.names[s]
	if !ok {
		t = tree(f.ranks + len(f.sums))
		f.sums = append(f.sums, s)
		f.names[s] = t
	}
	return t
}

// leaves yields the ranks whose contributions t holds, from left to right.
func (f *forest) leaves(t tree) iter.Seq[int] {
	return func(yield func(int) bool) {
		path := []tree{t &^ finished}
		for len(path) > 0 {
			t := path[len(path)-1]
			path = path[:len(path)-1]
			for int(t) >= f.ranks {
				s := f.sums[int(t)-f.ranks]
				path = append(path, s.local)
				t = s.in
			}
			if !yield(int(t)) {
				return
			}
		}
	}
}

// fault says in a clause why t does not hold every rank's contribution exactly
// once, or returns "".
func (f *forest) fault(t tree) string {
	clear(f.seen)
	for rank := range f.leaves(t) {
		if f.seen[rank] {
			return fmt.Sprintf("the contribution of rank %d twice", rank)
		}
		f.seen[rank] = true
	}
	for rank, seen := range f.seen {
		if !seen {
			return fmt.Sprintf("no contribution of rank %d", rank)
		}
	}
	return ""
}

// ranked reports whether the leaves of t are the ranks in order.
func (f *forest) ranked(t tree) bool {
	want := 0
	for rank := range f.leaves(t) {
		if rank != want {
			return false
		}
		want++
	}
	return want == f.ranks
}

// leftToRight reports whether t is ((0 ∘ 1) ∘ 2) ∘ … of all ranks, up to the order
// of the two operands of any one ∘.
func (f *forest) leftToRight(t tree) bool {
	t &^= finished
	for rank := f.ranks - 1; rank > 0; rank-- {
		if int(t) < f.ranks || t == nothing {
			return false
		}
		s := f.sums[int(t)-f.ranks]
		switch {
		case s.local == tree(rank):
			t = s.in
		case s.in == tree(rank):
			t = s.local
		default:
			return false
		}
	}
	return t == 0
}
