package inproc

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// All ranks of a Network are in one address space, so each can read and write
// what any other has registered, and a board is ordinary memory.

var _ transport.Direct = (*Transport)(nil)

// commons is what the ranks of a Network share besides its wires.
type commons struct {
	mu      sync.Mutex
	boards  map[int][]byte
	members map[int]*Transport
	regions map[transport.Address]*region // by rank and segment, see place
	changed chan struct{}                 // closed when a board is put up
}

func newCommons() commons {
	return commons{boards: map[int][]byte{}, members: map[int]*Transport{}, regions: map[transport.Address]*region{}, changed: make(chan struct{})}
}

// seat is a rank's part in its team. Its Transport's owner owns it, but for the
// atomics.
type seat struct {
	team   []*Transport // without this rank; nil before Assemble
	boards map[int][]byte
	asleep atomic.Bool
	wake   chan struct{} // holds a token when a sleeper should look again
	ended  atomic.Pointer[error]
}

// Place is the Network's name: all its ranks can form a team.
func (t *Transport) Place(addr string) string {
	network, _, _ := strings.Cut(addr, "/")
	return network
}

// Assemble puts up this rank's board and waits for the other ranks'.
func (t *Transport) Assemble(ctx context.Context, team map[int]string, boardSize int) error {
	n := t.net
	n.commons.mu.Lock()
	n.commons.boards[t.id.Rank], n.commons.members[t.id.Rank] = boardOf(boardSize), t
	close(n.commons.changed)
	n.commons.changed = make(chan struct{})
	n.commons.mu.Unlock()
	for {
		changed, missing := t.sit(team)
		if missing < 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return opError("assemble", missing, ctx.Err())
		}
	}
}

// sit takes this rank's seat if all boards are up, else it names a missing rank
// and what to wait for.
func (t *Transport) sit(team map[int]string) (changed chan struct{}, missing int) {
	c := &t.net.commons
	c.mu.Lock()
	defer c.mu.Unlock()
	boards := map[int][]byte{}
	var others []*Transport
	for rank := range team {
		if c.boards[rank] == nil {
			return c.changed, rank
		}
		boards[rank] = c.boards[rank]
		if rank != t.id.Rank {
			others = append(others, c.members[rank])
		}
	}
	t.seat.boards, t.seat.team = boards, others
	return nil, -1
}

// boardOf returns n zero bytes whose words are aligned.
func boardOf(n int) []byte { return mem.Of(make([]uint64, (n+7)/8)).Bytes()[:n:n] }

// Board is a member's board.
func (t *Transport) Board(rank int) []byte { return t.seat.boards[rank] }

// Notify wakes the members that sleep.
func (t *Transport) Notify() {
	for _, o := range t.seat.team {
		if o.seat.asleep.Load() {
			o.seat.rouse()
		}
	}
}

func (s *seat) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Await looks, then sleeps until somebody notifies.
func (t *Transport) Await(ctx context.Context, peer int, word *uint64, value uint64) (bool, error) {
	for range looks {
		if atomic.LoadUint64(word) >= value {
			return true, nil
		}
		runtime.Gosched()
	}
	t.seat.asleep.Store(true)
	defer t.seat.asleep.Store(false)
	for {
		switch {
		case atomic.LoadUint64(word) >= value:
			return true, nil
		case t.woken.Swap(false):
			return false, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case t.isClosed():
			return false, opError("await", peer, transport.ErrClosed)
		}
		if err := t.gone(peer); err != nil && atomic.LoadUint64(word) < value {
			return false, err
		}
		select {
		case <-t.seat.wake:
		case <-ctx.Done():
		}
	}
}

// gone is why waiting for peer is in vain: a member died, or peer has left.
func (t *Transport) gone(peer int) error {
	for _, o := range t.seat.team {
		why := o.seat.ended.Load()
		if why != nil && (*why == transport.ErrPeerLost || o.id.Rank == peer) {
			return opError("await", o.id.Rank, *why)
		}
	}
	return nil
}

// leaveTeam tells the other members how this rank ended.
func (t *Transport) leaveTeam(there error) {
	c := &t.net.commons
	t.seat.ended.CompareAndSwap(nil, &there)
	c.mu.Lock()
	others := c.members
	if c.members[t.id.Rank] == t {
		delete(c.members, t.id.Rank)
		delete(c.boards, t.id.Rank)
	}
	for _, o := range others {
		o.seat.rouse()
	}
	c.mu.Unlock()
	t.seat.rouse()
}

// Alloc returns memory of the Go heap: every rank can address that here.
func (t *Transport) Alloc(n int) (transport.MemoryRegion, error) {
	if n < 0 {
		return nil, invalid("alloc", -1, "%d bytes", n)
	}
	return t.Register(mem.Bytes(boardOf(n)))
}

// place is where commons keeps rank's segment.
func place(rank int, segment uint64) transport.Address {
	return transport.Address{Segment: segment, Offset: uint64(rank)}
}

// Address names bytes of any region of this rank.
func (t *Transport) Address(r transport.MemoryRegion, off int) (transport.Address, bool) {
	have, ok := r.(*region)
	if !ok || have.t != t || off < 0 || off > have.m.Len() {
		return transport.Address{}, false
	}
	return transport.Address{Segment: have.segment, Offset: uint64(off)}, true
}

// View returns bytes that peer has registered.
func (t *Transport) View(peer int, a transport.Address, n int) (mem.Memory, error) {
	c := &t.net.commons
	c.mu.Lock()
	r := c.regions[place(peer, a.Segment)]
	c.mu.Unlock()
	if r == nil || n < 0 || a.Offset > uint64(r.m.Len()) || n > r.m.Len()-int(a.Offset) {
		return mem.Memory{}, invalid("view", peer, "%d bytes at %d of segment %d", n, a.Offset, a.Segment)
	}
	return r.m.Slice(int(a.Offset), n), nil
}

// Fetch is for memory that cannot be addressed, of which there is none here.
func (t *Transport) Fetch(dst []byte, peer int, from uintptr) error {
	return opError("fetch", peer, fmt.Errorf("%w: ranks of one process address each other's memory", transport.ErrNotSupported))
}

// publish makes r addressable, and withdraw ends it.
func (c *commons) publish(r *region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.regions[place(r.t.id.Rank, r.segment)] = r
}

func (c *commons) withdraw(r *region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.regions, place(r.t.id.Rank, r.segment))
}

// Disband forgets the boards; the collector frees them.
func (t *Transport) Disband() error {
	t.seat.boards = nil
	return nil
}
