package bench

import (
	"context"
	"fmt"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
)

// pattern is the data of the next call on p.
func (r *run) pattern(p point) pattern {
	return pattern{typ: p.typ, op: p.op, ranks: r.group.Size(), seed: mix(r.config.Seed) + r.checks}
}

// check makes one call on fresh data, compares every element of the result and,
// where it has its own buffer, of the input, and adds up over all ranks.
func (r *run) check(ctx context.Context, p point, c call) (finding, error) {
	r.checks++
	k := newChecker(r.pattern(p), p.total)
	poison(c.output.Bytes())
	k.input(c.input.Bytes(), r.group.Rank(), c.input.first)
	if err := r.group.Do(ctx, c.request); err != nil {
		return finding{}, err
	}
	f := r.compare(k, p, c)
	r.wrong += f.wrong
	if f.wrong > 0 {
		r.log.Error("wrong result", "rank", r.group.Rank(), "collective", p.collective, "type", p.typeName(), "redop", p.opName(),
			"size", p.bytes(), "in_place", c.inPlace, "wrong", f.wrong, "first", f.first)
	}
	return r.addUp(ctx, f)
}

// compare looks at this rank's output and, out of place, at its input, which
// must not have changed.
func (r *run) compare(k *checker, p point, c call) finding {
	var f finding
	if p.collective.reduces() {
		f = k.reduced(c.output.Bytes(), c.output.first)
	} else if root := p.collective.root(); root >= 0 {
		f = k.moved(c.output.Bytes(), root, 0)
	} else {
		size := p.count(r.group.Size()) * p.typ.Size()
		for rank := range r.group.Size() {
			f.add(k.moved(c.output.Slice(rank*size, size).Bytes(), rank, rank*p.count(r.group.Size())))
		}
	}
	if !c.inPlace && (p.collective.root() < 0 || p.collective.root() == r.group.Rank()) {
		input := k.moved(c.input.Bytes(), r.group.Rank(), c.input.first)
		if input.first != "" {
			input.first = "the input was changed: " + input.first
		}
		input.checked = 0 // the count is of results
		f.add(input)
	}
	return f
}

// addUp sums findings over all ranks.
func (r *run) addUp(ctx context.Context, f finding) (finding, error) {
	sums := []int64{f.checked, f.wrong}
	m := mem.Of(sums)
	err := r.group.Do(ctx, allreduce.Request{Collective: schedule.AllReduce, Type: reduce.Int64, Op: reduce.Sum, Dst: m, Src: m})
	if err != nil {
		return f, fmt.Errorf("add up the checks of all ranks: %w", err)
	}
	return finding{checked: sums[0], wrong: sums[1]}, nil
}

// poison overwrites b, so that a result that was there before is not taken for
// a new one.
func poison(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = 0xa5
	for done := 1; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}
