package pipeline

import (
	"context"
	"fmt"

	"github.com/ringo-ccl/ringo/schedule"
)

// do performs one act on window w. signal is the number, within the operation,
// of the signal that it gives or waits for.
func (t *team) do(ctx context.Context, a *act, w, signal int) error {
	switch a.kind {
	case actSignal:
		if signal > 0 { // the first was the line
			t.signal(signal)
		}
		return nil
	case actAwait:
		if signal == 0 {
			return nil // all lines were read
		}
		for _, rank := range a.peers {
			if err := t.await(ctx, int(t.index[rank]), signal); err != nil {
				return err
			}
		}
		return nil
	}
	for chunk := a.lo; chunk < a.hi; chunk++ {
		off, n := t.cut.piece(w, chunk)
		if n == 0 {
			continue
		}
		if err := t.work(a, w, chunk, off, n); err != nil {
			return err
		}
	}
	return nil
}

// work performs an act on n bytes of a chunk.
func (t *team) work(a *act, w, chunk, off, n int) error {
	j := t.r.job
	switch a.kind {
	case actFold:
		tile := foldTile
		if t.mode == fetching {
			tile = fetchTile
		}
		for at := off; at < off+n; at += tile {
			if err := t.fold(a, w, chunk, at, min(tile, off+n-at)); err != nil {
				return err
			}
		}
	case actFinish:
		if j.Finish != nil {
			j.Finish(t.result(chunk, off, n), t.r.program.Ranks)
		}
	case actCopy:
		return t.copyFrom(int(t.index[a.peers[0]]), a.late, t.result(chunk, off, n), w, chunk, off)
	case actPut:
		for _, rank := range a.peers {
			copy(t.dst[t.index[rank]][t.cut.resultAt(chunk, off):][:n], t.result(chunk, off, n))
		}
	case actKeep:
		if !j.InPlace {
			at := t.cut.sourceAt(chunk, off)
			copy(t.result(chunk, off, n), j.Src.Memory().Bytes()[j.SrcOff+at:][:n])
		}
	}
	return nil
}

// result is n bytes of this rank's result.
func (t *team) result(chunk, off, n int) []byte { return t.r.own(t.cut.resultAt(chunk, off), n) }

// fold computes n bytes of a chunk, from off on, and puts them where they
// belong. The sum grows in scratch memory, because the result may be one of the
// sources; the last addition goes to the result.
func (t *team) fold(a *act, w, chunk, off, n int) error {
	j, dst := t.r.job, t.result(chunk, off, n)
	acc := t.acc.Bytes()
	if t.mode == fetching {
		acc = t.sum.Bytes()
	}
	acc = acc[:n]
	sum, err := t.operand(int(t.index[a.peers[0]]), acc, w, chunk, off)
	if err != nil {
		return err
	}
	if len(a.peers) == 1 {
		copy(dst, sum)
	}
	for k, rank := range a.peers[1:] {
		x, err := t.operand(int(t.index[rank]), t.fetched.Bytes()[:n], w, chunk, off)
		if err != nil {
			return err
		}
		out := acc
		if k == len(a.peers)-2 {
			out = dst
		}
		j.Kernel(out, sum, x)
		sum = out
	}
	if a.finish && j.Finish != nil {
		j.Finish(dst, t.r.program.Ranks)
	}
	if t.mode == staged && t.r.part.collective == schedule.AllReduce && t.dst[t.me] == nil {
		copy(t.passage(t.me, w)[t.cut.blockAt(w, chunk, off):], dst) // for those who copy it
	}
	for _, rank := range a.puts {
		copy(t.dst[t.index[rank]][t.cut.resultAt(chunk, off):][:n], dst)
	}
	return nil
}

// operand is len(scratch) bytes of member i's contribution to a chunk. The kernel
// copies them to scratch if there is no other way.
func (t *team) operand(i int, scratch []byte, w, chunk, off int) ([]byte, error) {
	n := len(scratch)
	at := t.cut.sourceAt(chunk, off)
	switch {
	case i == t.me:
		j := t.r.job
		return j.Src.Memory().Bytes()[j.SrcOff+at:][:n:n], nil
	case t.src[i] != nil:
		return t.src[i][at:][:n:n], nil
	case t.mode == fetching:
		return scratch, t.Direct.Fetch(scratch, t.Ranks[i], uintptr(t.offers[i].srcOffset)+uintptr(at))
	}
	return t.passage(i, w)[t.cut.blockAt(w, chunk, off):][:n:n], nil
}

// copyFrom copies a chunk of member i's source or, late, of its result.
func (t *team) copyFrom(i int, late bool, dst []byte, w, chunk, off int) error {
	n := len(dst)
	buffer, private, at := t.src[i], t.offers[i].srcOffset, t.cut.sourceAt(chunk, off)
	if late {
		buffer, private, at = t.dst[i], t.offers[i].dstOffset, t.cut.resultAt(chunk, off)
	}
	switch {
	case buffer != nil:
		copy(dst, buffer[at:][:n])
	case t.mode == fetching:
		return t.Direct.Fetch(dst, t.Ranks[i], uintptr(private)+uintptr(at))
	case t.mode == addressed:
		return fmt.Errorf("pipeline: the buffer of rank %d is not shared", t.Ranks[i])
	default:
		copy(dst, t.passage(i, w)[t.cut.blockAt(w, chunk, off):])
	}
	return nil
}

// passage is what window w of member i's private buffer passes through.
func (t *team) passage(i, w int) []byte {
	if t.flat {
		return t.flatOf(i)
	}
	return t.boards[i].block(t.windows + w)
}

// stageIn copies what others want of window w from this rank's private source to
// its block: all but its own chunk of an AllReduce, all other ranks' blocks, its
// own block, or the root's message.
func (t *team) stageIn(w int) {
	j, p := t.r.job, &t.r.part
	if j.Src == nil { // of a Broadcast to this rank
		return
	}
	block := t.boards[t.me].block(t.windows + w)
	source := j.Src.Memory().Bytes()[j.SrcOff:]
	for chunk := range p.chunks {
		switch p.collective {
		case schedule.AllReduce, schedule.ReduceScatter:
			if chunk == t.me {
				continue
			}
		case schedule.AllGather:
			if chunk != p.rank {
				continue
			}
		case schedule.Broadcast:
			if p.rank != p.root {
				return
			}
		}
		off, n := t.cut.piece(w, chunk)
		copy(block[t.cut.blockAt(w, chunk, off):][:n], source[t.cut.sourceAt(chunk, off):])
	}
}
