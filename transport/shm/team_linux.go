package shm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// team is the ranks of the host with which this one shares memory. The
// Transport's owner owns it; what Wake and Close touch is atomic or under mu.
type team struct {
	t       *Transport
	pairs   []*pair // one for each other member
	boards  map[int][]byte
	crowded bool     // more members than processors
	own     *segment // header and board
	asleepW *uint64  // in the header of own: others must ring
	joined  chan joining

	regions map[uint64]*region // by segment
	last    uint64             // segment made last
	follow  stream.Follower    // wakes the owner
	stale   []*segment         // views whose owner has closed them

	// sockets is held while the owner reads, writes or sleeps on the sockets, and
	// by who closes them; mu while anybody uses the bell. mu comes last.
	sockets sync.Mutex
	mu      sync.Mutex
	bell    int // an eventfd that ends the owner's sleep; -1 once closed
	fds     []unix.PollFd

	closed atomic.Bool
	woken  atomic.Bool
	asleep atomic.Bool
}

// joining is a connection whose other end wants to be a member.
type joining struct {
	fd   int
	rank int
}

// headerSize is what precedes the board in a rank's segment: one page, of which
// the first word says that the rank sleeps.
const headerSize = 4096

func (m *team) open(t *Transport) (err error) {
	m.t, m.bell = t, -1
	m.follow.Wake = m.wake
	m.joined = make(chan joining, t.Identity().Ranks)
	m.regions = map[uint64]*region{}
	m.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("eventfd (ulimit -n?): %w", err)
	}
	return nil
}

// divert takes a connection of the team's from the listener.
func (t *Transport) divert(nc net.Conn, peer transport.Peer) bool {
	if peer.Lane != teamLane {
		return false
	}
	fd, err := stream.Descriptor(nc)
	if err != nil {
		return false
	}
	stream.Accept(nc)
	nc.Close()
	select {
	case t.team.joined <- joining{fd, peer.Rank}:
		return true
	default: // more than there are ranks
		unix.Close(fd)
		return true
	}
}

// Assemble connects the members, higher ranks dialing lower ones, and exchanges
// their boards.
func (t *Transport) Assemble(ctx context.Context, members map[int]string, boardSize int) error {
	m := &t.team
	if m.boards != nil {
		return t.OpError("assemble", -1, fmt.Errorf("%w: the team is assembled already", transport.ErrInvalid))
	}
	m.boards = map[int][]byte{}
	m.crowded = len(members) > runtime.NumCPU()
	if err := m.connect(ctx, members); err != nil {
		return err
	}
	own, err := newSegment(t.cfg, headerSize+boardSize)
	m.own = own
	if err := m.announce(own, err); err != nil {
		return err
	}
	if err != nil {
		return t.OpError("assemble", -1, err)
	}
	m.asleepW = wordOf(own.bytes)
	m.boards[t.Identity().Rank] = own.bytes[headerSize:][:boardSize:boardSize]
	for _, p := range m.pairs {
		if err := m.awaitBoard(ctx, p, boardSize); err != nil {
			return err
		}
	}
	return nil
}

// connect makes the pairs of this rank.
func (m *team) connect(ctx context.Context, members map[int]string) error {
	me, waiting := m.t.Identity().Rank, 0
	for rank, addr := range members {
		switch {
		case rank > me:
			waiting++
		case rank < me:
			if err := m.dial(ctx, rank, addr); err != nil {
				return err
			}
		}
	}
	for ; waiting > 0; waiting-- {
		select {
		case j := <-m.joined:
			if _, ok := members[j.rank]; !ok {
				unix.Close(j.fd)
				return m.t.OpError("assemble", j.rank, fmt.Errorf("%w: the rank is not of this team", transport.ErrProtocol))
			}
			m.add(j.fd, j.rank)
		case <-ctx.Done():
			return m.t.OpError("assemble", -1, fmt.Errorf("waiting for %d ranks to connect: %w", waiting, context.Cause(ctx)))
		}
	}
	return nil
}

func (m *team) dial(ctx context.Context, rank int, addr string) error {
	nc, err := m.t.dial(ctx, addr)
	if err == nil {
		if err = m.t.Introduce(ctx, nc, transport.Peer{Rank: rank, Lane: teamLane}); err == nil {
			defer nc.Close()
			var fd int
			if fd, err = stream.Descriptor(nc); err == nil {
				m.add(fd, rank)
				return nil
			}
		}
	}
	return m.t.OpError("assemble", rank, err)
}

func (m *team) add(fd, rank int) {
	p := &pair{fd: fd, rank: rank, views: map[uint64]*segment{}}
	if c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
		p.pid = int(c.Pid)
	}
	m.sockets.Lock()
	defer m.sockets.Unlock()
	if m.closed.Load() {
		p.close()
		p.ended = transport.ErrClosed
	}
	m.pairs = append(m.pairs, p)
}

// announce tells every other member where this rank's board is, or that it has
// none.
func (m *team) announce(own *segment, failed error) error {
	f := frame{kind: failure}
	fd := -1
	if failed == nil {
		f, fd = frame{kind: board, size: uint64(len(own.bytes))}, own.fd
	}
	for _, p := range m.pairs {
		if err := p.send(f, fd); err != nil {
			return m.t.OpError("assemble", p.rank, err)
		}
	}
	return nil
}

// awaitBoard waits for p's board.
func (m *team) awaitBoard(ctx context.Context, p *pair, size int) error {
	stop := context.AfterFunc(ctx, m.wake)
	defer stop()
	for p.board == nil {
		if err := ctx.Err(); err != nil {
			return m.t.OpError("assemble", p.rank, err)
		}
		if err := m.sleepOnce(); err != nil {
			return m.t.OpError("assemble", p.rank, err)
		}
		switch {
		case p.failed:
			return m.t.OpError("assemble", p.rank, fmt.Errorf("%w: it has no memory to share", transport.ErrNotSupported))
		case p.ended != nil:
			return m.t.OpError("assemble", p.rank, p.ended)
		case p.board != nil && len(p.board.bytes) < headerSize+size:
			return m.t.OpError("assemble", p.rank, fmt.Errorf("%w: its board has %d bytes, this rank's %d", transport.ErrProtocol, len(p.board.bytes)-headerSize, size))
		}
	}
	p.asleep = wordOf(p.board.bytes)
	m.boards[p.rank] = p.board.bytes[headerSize:][:size:size]
	return nil
}

// Board is a member's board.
func (t *Transport) Board(rank int) []byte { return t.team.boards[rank] }

// pairOf finds the pair with rank, or nil.
func (m *team) pairOf(rank int) *pair {
	for _, p := range m.pairs {
		if p.rank == rank {
			return p
		}
	}
	return nil
}

// wake makes the current or next Await return.
func (m *team) wake() {
	m.woken.Store(true)
	if m.asleep.Load() {
		m.ring()
	}
}

// ring ends the owner's sleep.
func (m *team) ring() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bell >= 0 {
		unix.Write(m.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

// leave closes the sockets, with a goodbye if that is on purpose. The owner may be
// asleep on them: it is woken first.
func (m *team) leave(goodbye bool) {
	if m.closed.Swap(true) {
		return
	}
	m.ring()
	m.sockets.Lock()
	defer m.sockets.Unlock()
	for _, p := range m.pairs {
		if goodbye && p.fd >= 0 {
			p.send(frame{kind: bye}, -1)
		}
		p.close()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	unix.Close(m.bell)
	m.bell = -1
	for {
		select {
		case j := <-m.joined:
			unix.Close(j.fd)
			continue
		default:
		}
		return
	}
}

// Disband unmaps the boards and views.
func (t *Transport) Disband() error {
	m := &t.team
	m.follow.Forget()
	var errs []error
	for _, p := range m.pairs {
		if p.board != nil {
			errs = append(errs, p.board.close())
			p.board = nil
		}
		for _, v := range p.views {
			errs = append(errs, v.close())
		}
		p.views, p.asleep = nil, nil
	}
	for _, s := range m.stale {
		errs = append(errs, s.close())
	}
	m.stale = nil
	if m.own != nil {
		errs = append(errs, m.own.close())
	}
	m.own, m.asleepW, m.boards = nil, nil, map[int][]byte{}
	return errors.Join(errs...)
}
