package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// stamps are the buffers of the messages that open a run: one that goes out on
// every connection, and one for each connection that comes in.
type stamps struct {
	slot   *mem.Slot
	region transport.MemoryRegion
	first  map[int]int // by source: index of its lane 0 among the incoming
	peers  []int       // by index: the source
	left   int         // stamps of this run not completed
}

func (s *stamps) open(tr transport.Transport, pool *mem.Pool, in map[int]*channel) error {
	s.first = map[int]int{}
	for peer, c := range in {
		s.first[peer] = len(s.peers)
		for range c.conns {
			s.peers = append(s.peers, peer)
		}
	}
	var err error
	if s.slot, err = pool.Get((1 + len(s.peers)) * StampSize); err != nil {
		return fmt.Errorf("pipeline: memory for fingerprints: %w", err)
	}
	if s.region, err = tr.Register(s.slot.Memory()); err != nil {
		s.slot.Release()
	}
	return err
}

func (s *stamps) close() error {
	err := s.region.Close()
	s.slot.Release()
	return err
}

// at is the place of the incoming stamp with the given index, and of the
// outgoing one for -1.
func (s *stamps) at(index int) []byte {
	return s.slot.Bytes()[(1+index)*StampSize:][:StampSize]
}

// postStamps opens the run on every connection of the program.
func (r *Runner) postStamps() error {
	copy(r.stamps.at(-1), r.job.Stamp[:])
	r.stamps.left = 0
	for _, c := range r.recvs {
		for lane, conn := range c.conns {
			i := r.stamps.first[c.peer] + lane
			err := conn.PostRecv(transport.Request{Region: r.stamps.region, Off: (1 + i) * StampSize, Len: StampSize, ID: stampTicket(gotStamp, i)})
			if err != nil {
				return err
			}
			r.stamps.left++
		}
	}
	for _, c := range r.sends {
		for _, conn := range c.conns {
			err := conn.PostSend(transport.Request{Region: r.stamps.region, Len: StampSize, Seq: r.job.Seq, Tag: stampTag, ID: stampTicket(sentStamp, 0)})
			if err != nil {
				return err
			}
			r.stamps.left++
		}
	}
	return nil
}

// stampTag marks a stamp.
const stampTag = 1

// reapStamp judges a stamp that came in.
func (r *Runner) reapStamp(t ticket, c *transport.Completion) error {
	r.stamps.left--
	if t.kind() == sentStamp {
		return nil
	}
	i := int(t.index())
	if c.N != StampSize || c.Tag != stampTag {
		return r.unexpected(c, fmt.Sprintf("the fingerprint of operation %d", r.job.Seq))
	}
	if r.job.Check == nil {
		return nil
	}
	return r.job.Check(r.stamps.peers[i], r.stamps.at(i))
}
