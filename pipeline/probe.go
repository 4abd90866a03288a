package pipeline

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/ringo-ccl/ringo/transport"
)

// probeValue is what ranks put into private memory for others to find.
const probeValue = 0x52696e676f204343

// Probe is a word of private memory that other ranks try to read.
type Probe struct{ word [8]byte }

// ProbeFetch tries whether the kernel copies from the private memory of every
// other member of s, and is nil if so. All members call it, after Assemble. They
// keep their Probe until all others' calls have returned.
func (p *Probe) ProbeFetch(ctx context.Context, s *Share) error {
	binary.LittleEndian.PutUint64(p.word[:], probeValue)
	own := newBoard(s.Direct.Board(s.Rank))
	*own.probe = addressOf(p.word[:])
	atomic.StoreUint64(own.probed, 1)
	s.Direct.Notify()
	for _, rank := range s.Ranks {
		if rank == s.Rank {
			continue
		}
		b := newBoard(s.Direct.Board(rank))
		for there := false; !there; {
			var err error
			if there, err = s.Direct.Await(ctx, rank, b.probed, 1); err != nil {
				return err
			}
		}
		var got [8]byte
		if err := s.Direct.Fetch(got[:], rank, uintptr(*b.probe)); err != nil {
			return err
		}
		if got != p.word {
			return fmt.Errorf("%w: read %x from rank %d, want %x", transport.ErrProtocol, got, rank, p.word)
		}
	}
	return nil
}
