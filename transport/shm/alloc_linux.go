package shm

import (
	"errors"
	"fmt"
	"math"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// region is a segment of this rank's that the other members can address. As a
// region of messages it is the stream's.
type region struct {
	transport.MemoryRegion
	t       *Transport
	id      uint64
	segment *segment
}

// Alloc makes a segment and passes it to every member.
func (t *Transport) Alloc(n int) (transport.MemoryRegion, error) {
	if n < 0 || n > math.MaxInt/2 {
		return nil, t.OpError("alloc", -1, fmt.Errorf("%w: %d bytes", transport.ErrInvalid, n))
	}
	m := &t.team
	m.sweep()
	s, err := newSegment(t.cfg, n)
	if err != nil {
		return nil, t.OpError("alloc", -1, err)
	}
	inner, err := t.Transport.Register(mem.Bytes(s.bytes[:n:n]))
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	m.last++
	r := &region{inner, t, m.last, s}
	m.regions[r.id] = r
	if err := m.tell(frame{kind: given, id: r.id, size: uint64(len(s.bytes))}, s.fd); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// tell sends a frame to every member that is still there.
func (m *team) tell(f frame, fd int) error {
	m.sockets.Lock()
	defer m.sockets.Unlock()
	for _, p := range m.pairs {
		if p.ended != nil || p.fd < 0 {
			continue
		}
		if err := p.send(f, fd); err != nil && !errors.Is(err, transport.ErrPeerLost) {
			return m.t.OpError("alloc", p.rank, err)
		}
	}
	return nil
}

// Close unmaps the segment here, and tells the members.
func (r *region) Close() error {
	if r.segment == nil {
		return r.t.OpError("deregister", -1, transport.ErrClosed)
	}
	if err := r.MemoryRegion.Close(); err != nil {
		return err
	}
	delete(r.t.team.regions, r.id)
	err := r.t.team.tell(frame{kind: taken, id: r.id}, -1)
	s := r.segment
	r.segment = nil
	return errors.Join(err, s.close())
}

// Unwrap is the region as messages know it.
func (r *region) Unwrap() transport.MemoryRegion { return r.MemoryRegion }

// Address names bytes of a region of Alloc's.
func (t *Transport) Address(r transport.MemoryRegion, off int) (transport.Address, bool) {
	own, ok := r.(*region)
	if !ok || own.t != t || own.segment == nil || off < 0 || off > own.Memory().Len() {
		return transport.Address{}, false
	}
	return transport.Address{Segment: own.id, Offset: uint64(off)}, true
}

// View finds the mapping of peer's segment. The owner passed it before it can
// have given its name away, so it is here or in the socket.
func (t *Transport) View(peer int, a transport.Address, n int) (mem.Memory, error) {
	m := &t.team
	if peer == t.Identity().Rank {
		if r := m.regions[a.Segment]; r != nil {
			return within(t, peer, r.segment.bytes, a, n)
		}
	}
	p := m.pairOf(peer)
	if p == nil {
		return mem.Memory{}, t.OpError("view", peer, fmt.Errorf("%w: the rank is not of this team", transport.ErrInvalid))
	}
	s := p.views[a.Segment]
	if s == nil {
		m.sweep()
		m.listen()
		if s = p.views[a.Segment]; s == nil {
			return mem.Memory{}, t.OpError("view", peer, fmt.Errorf("%w: it has given no segment %d", transport.ErrInvalid, a.Segment))
		}
	}
	return within(t, peer, s.bytes, a, n)
}

func within(t *Transport, peer int, b []byte, a transport.Address, n int) (mem.Memory, error) {
	if n < 0 || a.Offset > uint64(len(b)) || n > len(b)-int(a.Offset) {
		return mem.Memory{}, t.OpError("view", peer, fmt.Errorf("%w: %d bytes at %d of a segment of %d", transport.ErrInvalid, n, a.Offset, len(b)))
	}
	return mem.Bytes(b[a.Offset:][:n:n]), nil
}

// listen reads what the members have said so far.
func (m *team) listen() {
	m.sockets.Lock()
	defer m.sockets.Unlock()
	if !m.closed.Load() {
		m.readAll()
	}
}

// sweep unmaps views whose owners have closed them. The owner calls it where none
// of its views is in use.
func (m *team) sweep() {
	for _, s := range m.stale {
		_ = s.close() // of a mapping that exists
	}
	m.stale = m.stale[:0]
}
