package pipeline

// cut divides a message for work on shared memory: into windows of win bytes,
// the last one shorter, and each window into the plan's chunks. ReduceScatter
// and AllGather cut each rank's block instead, whose chunk it is. Every element
// is summed in rank order wherever it falls, so a cut changes no result.
type cut struct {
	*partition
	whole   int // bytes of the message, or of a block
	win     int
	windows int
}

// newCut makes windows of at most win bytes, all chunks of one together; 0 makes
// a single window.
func newCut(p *partition, win int) cut {
	c := cut{partition: p, whole: p.count * p.elem, windows: 1}
	if win > 0 && p.publishedSize() > win {
		if p.publishedSize() > c.whole { // a window holds a piece of every block
			win /= p.chunks
		}
		c.win = max(win&^63, 64)
		c.windows = (c.whole + c.win - 1) / c.win
	} else {
		c.win = c.whole
	}
	return c
}

// piece is window w's part of a chunk: off is within the message or, where ranks
// have blocks, within the block.
func (c *cut) piece(w, chunk int) (off, n int) {
	lo := w * c.win
	size := min(c.win, c.whole-lo)
	if c.blocks() {
		return lo, size
	}
	off, n = c.share(size/c.elem, chunk)
	return lo + off, n
}

// sourceAt is where off of a chunk lies in the source of the rank that holds it.
func (c *cut) sourceAt(chunk, off int) int {
	if c.publishedSize() > c.whole { // ReduceScatter: all blocks, one after the other
		return chunk*c.whole + off
	}
	return off
}

// resultAt is where off of a chunk lies in a result.
func (c *cut) resultAt(chunk, off int) int {
	if !c.blocks() {
		return off
	}
	at, _ := c.inResult(chunk)
	return at + off
}

// blockAt is where off of a chunk lies in the block through which window w of a
// private buffer passes.
func (c *cut) blockAt(w, chunk, off int) int {
	off -= w * c.win
	if c.publishedSize() > c.whole {
		off += chunk * c.win
	}
	return off
}
