package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// mode is how an operation gets at the members' buffers. It follows from the size
// and from what the lines say, so that all members pick the same.
type mode uint8

const (
	// addressed: every buffer that anyone needs is shared memory. Results are put
	// where they belong; the message is one window.
	addressed mode = iota
	// staged: private buffers pass through the boards' blocks, window by window.
	staged
	// fetching: the kernel copies out of private buffers; one window.
	fetching
)

const (
	// addressMin is the size in bytes from which reading shared buffers, with a
	// second signal, beats a copy on the board.
	addressMin = 2 << 10
	// foldTile is how many bytes of a sum are finished before the next: what is
	// added in between stays in the first-level cache.
	foldTile = 16 << 10
	// fetchTile is how many bytes the kernel copies at a time: they are still in
	// the second-level cache when they are added.
	fetchTile = 256 << 10
)

// runShared runs the current job, whose program works on shared memory only.
func (r *Runner) runShared(ctx context.Context) (err error) {
	defer recovered(&err)
	t := r.team
	l := t.begin()
	size := r.part.publishedSize()
	if size <= lineRoom {
		copy(l.payload(), t.r.published())
		t.publish()
		return t.small(ctx, false)
	}
	if size < addressMin {
		copy(t.flatOf(t.me), t.r.published())
		t.publish()
		return t.small(ctx, true)
	}
	// The kernel's copies cost as much again for each further rank: two is where they pay.
	flat, fetches := size <= flatRoom, t.Fetch && (len(t.Ranks) == 2 || r.cfg.FetchAlways) && size >= r.cfg.FetchMin && size <= r.cfg.FetchMax
	o := t.offerOf()
	t.cut, t.flat = newCut(&r.part, r.cfg.stageBlock()), flat
	if flat || fetches {
		t.cut = newCut(&r.part, 0)
	}
	switch {
	case t.covers(o):
	case flat:
		copy(t.flatOf(t.me), t.r.published())
	case !fetches:
		t.stageIn(0)
	}
	l.setOffer(o)
	t.publish()
	shared, err := t.readOffers(ctx)
	switch {
	case err != nil:
		return err
	case flat && shared == 0:
		return t.small(ctx, true)
	case shared == len(t.Ranks):
		t.cut, t.mode = newCut(&r.part, 0), addressed
		return t.once(ctx, &r.program.parts[0])
	case fetches:
		t.mode = fetching
		return t.once(ctx, &r.pulling().parts[0])
	}
	t.mode = staged
	return t.windowed(ctx, r.pulling().parts[0].segments)
}

// recovered turns the panic of a user's operator into an error.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = reduce.Panicked(v)
	}
}

// pulling is the program that reads peers' results instead of writing them.
func (r *Runner) pulling() *Program {
	if r.job.Pull != nil {
		return r.job.Pull
	}
	return r.program
}

// offerOf names this rank's buffers.
func (t *team) offerOf() (o offer) {
	j := t.r.job
	name := func(region, shared transport.MemoryRegion, off int) (segment, offset uint64) {
		if shared != nil {
			if a, ok := t.Direct.Address(shared, off); ok {
				return a.Segment, a.Offset
			}
		}
		if region == nil {
			return 0, 0
		}
		return 0, addressOf(region.Memory().Bytes()[off:])
	}
	o.srcSegment, o.srcOffset = name(j.Src, j.SrcShared, j.SrcOff)
	o.dstSegment, o.dstOffset = name(j.Dst, j.DstShared, j.DstOff)
	return o
}

// covers says that others can address all they need of the rank that made o.
func (t *team) covers(o offer) bool {
	if t.r.part.collective == schedule.AllReduce {
		return o.srcSegment != 0 && o.dstSegment != 0
	}
	return o.srcSegment != 0
}

// readOffers reads all lines, views what can be addressed, and counts the members
// that are covered. A Broadcast needs nothing of those that are not the root.
func (t *team) readOffers(ctx context.Context) (shared int, err error) {
	p := &t.r.part
	for i, rank := range t.Ranks {
		l, err := t.read(ctx, i)
		if err != nil {
			return 0, err
		}
		o := l.offer()
		t.offers[i], t.src[i], t.dst[i] = o, nil, nil
		if p.collective == schedule.Broadcast && rank != p.root {
			shared++
			continue
		}
		if !t.covers(o) {
			continue
		}
		shared++
		source, result := p.bufferSizes()
		if t.src[i], err = t.view(rank, o.srcSegment, o.srcOffset, source); err != nil {
			return 0, err
		}
		if p.collective == schedule.AllReduce {
			if t.dst[i], err = t.view(rank, o.dstSegment, o.dstOffset, result); err != nil {
				return 0, err
			}
		}
	}
	return shared, nil
}

func (t *team) view(rank int, segment, offset uint64, n int) ([]byte, error) {
	m, err := t.Direct.View(rank, transport.Address{Segment: segment, Offset: offset}, n)
	if err != nil {
		return nil, fmt.Errorf("pipeline: the buffer of rank %d: %w", rank, err)
	}
	return m.Bytes(), nil
}

// bufferSizes are the lengths of a rank's source and result in bytes.
func (p *partition) bufferSizes() (source, result int) {
	result = p.count * p.elem
	if p.collective == schedule.AllGather {
		result *= p.chunks
	}
	return p.publishedSize(), result
}

// once runs a part on the whole message. The first signal was the line.
func (t *team) once(ctx context.Context, p *part) error {
	if err := t.doAll(ctx, p.acts, 0, 0); err != nil {
		return err
	}
	t.stages += uint64(len(p.segments) - 1)
	return nil
}

// windowed runs a part's segments on one window after the other. They end with a closing
// signal, after which nobody reads this rank's memory: here that is needed once,
// at the end, and only if memory other than blocks was read. The signals before
// it are given in each window: the first when the rank's block is filled, which
// it does one window ahead, so that nobody waits for a copy that could have been
// made earlier.
//
// A block is filled again stageBlocks windows later. Before it fills block b+1 a
// rank sees everybody's first signal of window b; a rank gives that when it has
// read all of window b-2, and four blocks cover b-2 to b+1.
func (t *team) windowed(ctx context.Context, segments [][]act) error {
	per := len(segments) - 2 // signals of a window: the last segment has none, the one before it closes
	if per < 1 {
		return fmt.Errorf("pipeline: a plan with %d signals cannot be run in windows", len(segments)-1)
	}
	windows, private := t.cut.windows, !t.covers(t.offers[t.me])
	for w := range windows {
		for s := 1; s <= per; s++ {
			if s == per && w+1 < windows {
				if err := t.awaitAll(ctx, w*per); err != nil {
					return err
				}
				if private {
					t.stageIn(w + 1)
				}
				t.signal((w + 1) * per)
			}
			steps := segments[s]
			if s == per {
				steps = steps[:len(steps)-1] // but for the closing signal
			}
			if err := t.doAll(ctx, steps, w, w*per); err != nil {
				return err
			}
		}
	}
	last := windows * per
	if t.readsBuffers() {
		t.signal(last)
		if err := t.awaitAll(ctx, last); err != nil {
			return err
		}
	}
	t.stages += uint64(last)
	t.windows += windows
	return nil
}

// awaitAll waits for everybody's signal number n of the operation. Number 0 was
// the line.
func (t *team) awaitAll(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	for i := range t.boards {
		if err := t.await(ctx, i, n); err != nil {
			return err
		}
	}
	return nil
}

// readsBuffers says that some member's own buffer is read, not a block of it.
func (t *team) readsBuffers() bool {
	return slices.ContainsFunc(t.src, func(b []byte) bool { return b != nil })
}

func (t *team) doAll(ctx context.Context, acts []act, w, first int) error {
	for i := range acts {
		if err := t.do(ctx, &acts[i], w, first+acts[i].signal); err != nil {
			return err
		}
	}
	return nil
}
