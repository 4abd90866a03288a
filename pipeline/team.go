package pipeline

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// Share says with whom a Runner shares memory.
type Share struct {
	// Direct has assembled the team, with boards of Config.BoardSize.
	Direct transport.Direct
	// Ranks lists the members, ascending, this rank among them.
	Ranks []int
	// Rank is this rank.
	Rank int
	// Fetch says that every member can have the kernel copy from every other's
	// private memory. It must be the same on all of them.
	Fetch bool
}

// team is the ranks that share memory with this one, and what this rank knows of
// them during an operation. The Runner owns it.
//
// An operation opens with a line from every member: its number, the digest of
// its fingerprint, and the payload itself or where the buffers are. Everything
// later is counted signals on the boards' stage words. All members go through
// the same operations, so all count alike.
type team struct {
	Share
	r      *Runner
	me     int     // index of this rank
	index  []int16 // by rank: its index, or -1
	boards []board // by index
	lines  uint64  // operations begun
	stages uint64  // signals given on the stage word, before this operation
	digest uint64
	stamp  [StampSize]byte // what the boards' fingerprints hold, see publish

	// Of the running operation, by index.
	offers   []offer
	src, dst [][]byte // views of the buffers; nil where they are private
	mode     mode
	cut      cut
	flat     bool // private buffers pass through the boards' flat payloads, not their blocks
	windows  int  // that have passed through blocks before this operation

	acc     *mem.Slot // scratch of a fold: a tile
	sum     *mem.Slot // the same for a tile of what the kernel copies
	fetched *mem.Slot // and for what it copies
}

func newTeam(r *Runner, s Share, pool *mem.Pool) (*team, error) {
	n := len(s.Ranks)
	t := &team{Share: s, r: r, me: -1, boards: make([]board, n), offers: make([]offer, n), src: make([][]byte, n), dst: make([][]byte, n)}
	for i, rank := range s.Ranks {
		for len(t.index) <= rank {
			t.index = append(t.index, -1)
		}
		t.index[rank] = int16(i)
		b := s.Direct.Board(rank)
		if len(b) < boardBlocks {
			return nil, fmt.Errorf("pipeline: the board of rank %d has %d bytes", rank, len(b))
		}
		t.boards[i] = newBoard(b)
		if rank == s.Rank {
			t.me = i
		}
	}
	if t.me < 0 {
		return nil, fmt.Errorf("pipeline: rank %d is not in its own team %v", s.Rank, s.Ranks)
	}
	for _, s := range []struct {
		slot **mem.Slot
		n    int
	}{{&t.acc, foldTile}, {&t.sum, fetchTile}, {&t.fetched, fetchTile}} {
		var err error
		if *s.slot, err = pool.Get(s.n); err != nil {
			t.close()
			return nil, fmt.Errorf("pipeline: scratch memory of a team: %w", err)
		}
	}
	return t, nil
}

func (t *team) close() {
	for _, s := range []*mem.Slot{t.acc, t.sum, t.fetched} {
		if s != nil {
			s.Release()
		}
	}
}

// source is the source buffer of a member, by rank.
func (t *team) source(rank int) []byte { return t.src[t.index[rank]] }

// flatOf is where member i's payload of the running operation is, if it is on its
// board beside the line.
func (t *team) flatOf(i int) []byte { return t.boards[i].flat(int(t.lines & 1)) }

// publish puts up this rank's line, whose room is set already. Members that read
// it find everything there that this rank wrote before.
func (t *team) publish() {
	l := t.boards[t.me].lines[t.lines&1]
	l.digest = t.digest
	atomic.StoreUint64(&l.number, t.lines)
	t.Direct.Notify()
}

// begin opens an operation and returns the line to be filled in and published.
func (t *team) begin() *line {
	t.lines++
	t.digest = digest(&t.r.job.Stamp)
	copy(t.boards[t.me].stamp(int(t.lines&1)), t.r.job.Stamp[:])
	return t.boards[t.me].lines[t.lines&1]
}

// look is how often a word is looked at before the transport is asked to wait:
// long enough for a member on another core that is just about to store it.
const look = 50

// read waits for the line of member i and compares its fingerprint.
func (t *team) read(ctx context.Context, i int) (*line, error) {
	l := t.boards[i].lines[t.lines&1]
	if err := t.wait(ctx, i, &l.number, t.lines); err != nil {
		return nil, err
	}
	if l.digest != t.digest {
		return nil, t.mismatch(i)
	}
	return l, nil
}

// wait returns when *word, on the board of member i, has reached value.
func (t *team) wait(ctx context.Context, i int, word *uint64, value uint64) error {
	for range look {
		if atomic.LoadUint64(word) >= value {
			return nil
		}
	}
	return t.sleep(ctx, i, word, value)
}

func (t *team) sleep(ctx context.Context, i int, word *uint64, value uint64) error {
	r := t.r
	r.waits.Store(int64(t.Ranks[i]) + 1)
	for {
		if err := r.interrupted(ctx); err != nil {
			return err
		}
		there, err := t.Direct.Await(ctx, t.Ranks[i], word, value)
		if there {
			r.waits.Store(0)
			return nil
		}
		if err != nil {
			return r.because(ctx, err)
		}
	}
}

// signal gives this rank's signal number n of the operation, from 1.
func (t *team) signal(n int) {
	atomic.StoreUint64(t.boards[t.me].stage, t.stages+uint64(n))
	t.Direct.Notify()
}

// await waits for signal number n of member i.
func (t *team) await(ctx context.Context, i, n int) error {
	return t.wait(ctx, i, t.boards[i].stage, t.stages+uint64(n))
}

// mismatch explains why member i's digest is another than this rank's.
func (t *team) mismatch(i int) error {
	if t.r.job.Check != nil {
		if err := t.r.job.Check(t.Ranks[i], t.boards[i].stamp(int(t.lines&1))); err != nil {
			return err
		}
	}
	return &transport.OpError{Transport: "shared memory", Op: "read", Peer: t.Ranks[i],
		Err: fmt.Errorf("%w: the digests of equal fingerprints differ in operation %d", transport.ErrProtocol, t.r.job.Seq)}
}
