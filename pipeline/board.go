package pipeline

import "encoding/binary"

// A board is what one rank of a team shows the others. It alone writes it; they
// read. There are two of everything that an operation publishes, by the parity
// of the operation's number: a rank overwrites what it published two operations
// ago, and it does so only after it has seen every member's line of the last
// operation, which a member publishes when it has read all it wanted before.
//
//	0     two lines, 128 bytes apart, each within one cache line:
//	      number (the flag), digest of the fingerprint, and 48 bytes of payload
//	      or the addresses of the buffers
//	256   stage: how many signals the rank has given, ever
//	384   what ProbeFetch needs
//	512   two fingerprints, read only to explain a mismatch
//	4096  two payloads of up to flatRoom bytes
//	then  stageBlocks blocks through which private buffers pass
const (
	lineStride  = 128
	lineRoom    = 48
	boardStage  = 256
	boardProbe  = 384
	boardStamps = 512
	boardFlat   = 4096
	flatRoom    = 16 << 10
	boardBlocks = boardFlat + 2*flatRoom
	// stageBlocks is how many blocks a rank has. A rank fills the next block
	// before it has read everything of this one, and may be a signal ahead of the
	// slowest reader; see windowed.
	stageBlocks = 4
)

// StageBlockFor is the length in bytes of a block through which private buffers
// pass in a team of that many ranks, if nothing else is configured. Between two,
// blocks that stay in the second-level cache are best; with more, the signals
// around each block count for more. It bounds what many boards take together.
func StageBlockFor(ranks int) int {
	if ranks > 2 && ranks <= 16 {
		return 1 << 20
	}
	return 256 << 10
}

// BoardSize is the length in bytes of a team's boards, for Direct.Assemble.
func (c Config) BoardSize() int { return boardBlocks + stageBlocks*c.stageBlock() }

func (c Config) stageBlock() int {
	if c.StageBlock == 0 {
		return StageBlockFor(2)
	}
	return c.StageBlock
}

// line is what a rank publishes at the start of an operation. Storing number,
// atomically and last, makes the rest and all that came before visible.
type line struct {
	number uint64
	digest uint64
	room   [lineRoom / 8]uint64
}

// offer is the use of a line's room that says where the rank's buffers are.
// Segment 0 means private memory, and the offset is then its virtual address.
type offer struct{ srcSegment, srcOffset, dstSegment, dstOffset uint64 }

func (l *line) offer() offer { return offer{l.room[0], l.room[1], l.room[2], l.room[3]} }

func (l *line) setOffer(o offer) {
	l.room[0], l.room[1], l.room[2], l.room[3] = o.srcSegment, o.srcOffset, o.dstSegment, o.dstOffset
}

// flat is where the payload of an operation of that parity goes when it does not
// fit into the line.
func (b *board) flat(parity int) []byte {
	return b.bytes[boardFlat+parity*flatRoom:][:flatRoom:flatRoom]
}

func (b *board) stamp(parity int) []byte {
	return b.bytes[boardStamps+parity*StampSize:][:StampSize:StampSize]
}

// block is where window number w of a message passes through.
func (b *board) block(w int) []byte {
	n := (len(b.bytes) - boardBlocks) / stageBlocks
	return b.bytes[boardBlocks+w%stageBlocks*n:][:n:n]
}

// digest condenses a fingerprint to one word, which differs when ranks call
// different things: FNV-1a over words, with a final mix.
func digest(stamp *[StampSize]byte) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < StampSize; i += 8 {
		h ^= binary.LittleEndian.Uint64(stamp[i:])
		h *= 1099511628211
		h ^= h >> 29
	}
	return h
}
