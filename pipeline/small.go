package pipeline

import (
	"context"

	"github.com/ringo-ccl/ringo/schedule"
)

// small runs a collective whose payload is on the boards: in the lines
// themselves or, flat, beside them. Every member publishes what others want of
// its source, waits for all lines and computes its own result, so one hop is all
// there is.
//
// This is the plan of acts with a copy of the source, on the board, in place of
// the source: that nobody overwrites it early is what the two parities of a board
// are for, and takes the place of the plan's closing signal. The reason for a
// path of its own is in docs/adr: at 4 bytes the general one takes three times
// as long.
func (t *team) small(ctx context.Context, flat bool) error {
	j, p := t.r.job, &t.r.part
	switch p.collective {
	case schedule.AllReduce, schedule.ReduceScatter:
		return t.smallReduce(ctx, flat)
	case schedule.AllGather:
		for i, rank := range t.Ranks {
			l, err := t.read(ctx, i)
			if err != nil {
				return err
			}
			off, n := p.chunk(rank)
			copy(t.r.own(off, n), t.payload(i, l, flat)[:n])
		}
	case schedule.Broadcast:
		for i, rank := range t.Ranks {
			l, err := t.read(ctx, i)
			if err != nil {
				return err
			}
			if n := j.Count * j.Elem; rank == p.root && (rank != p.rank || !j.InPlace) {
				copy(t.r.own(0, n), t.payload(i, l, flat)[:n])
			}
		}
	}
	return nil
}

// smallReduce adds all payloads, or this rank's block of each, in rank order.
func (t *team) smallReduce(ctx context.Context, flat bool) error {
	j, p := t.r.job, &t.r.part
	n, skip := j.Count*j.Elem, 0
	if p.collective == schedule.ReduceScatter {
		skip = p.rank * n
	}
	dst := t.r.own(0, n)
	var first []byte
	for i := range t.boards {
		l, err := t.read(ctx, i)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		x := t.payload(i, l, flat)[skip:][:n:n]
		switch i {
		case 0:
			first = x
		case 1:
			j.Kernel(dst, first, x)
		default:
			j.Kernel(dst, dst, x)
		}
	}
	if len(t.boards) == 1 && n > 0 {
		copy(dst, first)
	}
	if j.Finish != nil && n > 0 {
		j.Finish(dst, t.r.program.Ranks)
	}
	return nil
}

// payload is what member i published: in its line or, flat, beside it.
func (t *team) payload(i int, l *line, flat bool) []byte {
	if flat {
		return t.flatOf(i)
	}
	return l.payload()
}
