package pipeline

import "github.com/ringo-ccl/ringo/schedule"

// windowUnits is how many sub-chunks of each chunk form a window: enough that a
// rank sends one while it waits for the next, few enough that all of a window
// stays in the cache.
const windowUnits = 4

// minSubChunk is the smallest sub-chunk in bytes that a message is cut into to
// overlap its transfer with its reduction.
const minSubChunk = 64 << 10

// partition divides a message: the only place where bytes are divided.
//
// AllReduce and Broadcast divide count elements into chunks whose lengths differ by at most
// one element, the longer ones first. ReduceScatter and AllGather have a block
// of count elements for each rank, and block r is chunk r. A chunk is cut into
// sub-chunks of sub bytes, the last one shorter; these are called units here.
type partition struct {
	collective schedule.Collective
	rank       int
	root       int // of a Broadcast
	chunks     int
	elem       int // bytes
	count      int // elements, as the collective counts them
	sub        int // bytes, a multiple of elem
	windows    int
}

func newPartition(g *Program, elem, count int) partition {
	return partition{collective: g.Collective, rank: g.Rank, root: g.Root, chunks: g.Chunks, elem: elem, count: count}
}

// divide cuts the chunks into sub-chunks of at most maxSub bytes, for messages.
func (p *partition) divide(maxSub int) {
	_, longest := p.chunk(0)
	p.sub = subChunk(longest, p.elem, maxSub)
	units := (longest + p.sub - 1) / p.sub
	p.windows = (units + windowUnits - 1) / windowUnits
}

// subChunk cuts a chunk into windowUnits equal pieces if that leaves them at
// least minSubChunk long, and never longer than maxSub. It depends on nothing
// that differs between ranks.
func subChunk(chunk, elem, maxSub int) int {
	sub := max((chunk+windowUnits-1)/windowUnits, min(minSubChunk, maxSub))
	sub = min((sub+4095)&^4095, maxSub)
	return max(sub/elem, 1) * elem
}

// chunk is chunk c's place in the whole message, in bytes.
func (p *partition) chunk(c int) (off, n int) {
	if p.blocks() {
		return c * p.count * p.elem, p.count * p.elem
	}
	return p.share(p.count, c)
}

// share is chunk c's place, in bytes, among count elements that are divided into
// chunks.
func (p *partition) share(count, c int) (off, n int) {
	each, extra := count/p.chunks, count%p.chunks
	off = c*each + min(c, extra)
	if c < extra {
		each++
	}
	return off * p.elem, each * p.elem
}

// blocks says that each rank has a block of count elements.
func (p *partition) blocks() bool {
	return p.collective.Blocks()
}

// unit is the place of unit u of chunk c in window w within the chunk. n is 0
// when the chunk ends before it.
func (p *partition) unit(c, w, u int) (off, n int) {
	_, size := p.chunk(c)
	off = (w*windowUnits + u) * p.sub
	return off, max(0, min(p.sub, size-off))
}

// inSource is where chunk c begins in the source buffer; ok is false when this
// rank's source does not hold it.
func (p *partition) inSource(c int) (off int, ok bool) {
	switch p.collective {
	case schedule.AllGather:
		return 0, c == p.rank
	case schedule.Broadcast:
		ok = p.rank == p.root
	default:
		ok = true
	}
	off, _ = p.chunk(c)
	return off, ok
}

// inResult is where chunk c begins in the result buffer; ok is false when the
// result on this rank does not hold it.
func (p *partition) inResult(c int) (off int, ok bool) {
	if p.collective == schedule.ReduceScatter {
		return 0, c == p.rank
	}
	off, _ = p.chunk(c)
	return off, true
}
