package shm

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

const (
	// looks is how often Await looks before it gives way: about what another
	// processor takes to store a word and its line to come here, a few times over.
	looks = 300
	// lookFor is how long it looks, giving way in between, before it sleeps.
	// Falling asleep and being woken costs the two ranks about a tenth of it.
	lookFor = 100 * time.Microsecond
	// lookUp is how many turns pass between two looks at the clock and the rest.
	lookUp = 16
)

// Notify wakes the members that sleep.
func (t *Transport) Notify() {
	for _, p := range t.team.pairs {
		if p.asleep != nil && atomic.LoadUint64(p.asleep) != 0 {
			p.ring()
		}
	}
}

// Await looks, gives way, and then sleeps.
func (t *Transport) Await(ctx context.Context, peer int, word *uint64, value uint64) (bool, error) {
	m := &t.team
	if !m.crowded {
		for range looks {
			if atomic.LoadUint64(word) >= value {
				return true, nil
			}
		}
	}
	var start time.Time
	for turn := 1; ; turn++ {
		if atomic.LoadUint64(word) >= value {
			return true, nil
		}
		if turn%lookUp == 0 {
			switch {
			case m.woken.Swap(false):
				return false, nil
			case m.closed.Load():
				return false, t.OpError("await", peer, transport.ErrClosed)
			case start.IsZero():
				start = time.Now()
			case time.Since(start) > lookFor:
				return m.sleep(ctx, peer, word, value)
			}
		}
		if m.crowded || turn%lookUp == 0 {
			stream.Yield()
		} else {
			pause()
		}
	}
}

// sleep waits in poll(2) until the word has come, Wake, the end of ctx, or a
// member's.
func (m *team) sleep(ctx context.Context, peer int, word *uint64, value uint64) (bool, error) {
	m.follow.Follow(ctx)
	atomic.StoreUint64(m.asleepW, 1)
	defer atomic.StoreUint64(m.asleepW, 0)
	for {
		switch {
		case atomic.LoadUint64(word) >= value:
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case m.woken.Swap(false):
			return false, nil
		case m.closed.Load():
			return false, m.t.OpError("await", peer, transport.ErrClosed)
		}
		if err := m.sleepOnce(); err != nil {
			return false, m.t.OpError("await", peer, err)
		}
		if p := m.gone(peer); p != nil && atomic.LoadUint64(word) < value {
			return false, m.t.OpError("await", p.rank, fmt.Errorf("%w (while waiting for rank %d)", p.ended, peer))
		}
	}
}

// gone is a member whose end makes waiting for peer vain: any that died, or peer
// itself if it has left.
func (m *team) gone(peer int) *pair {
	for _, p := range m.pairs {
		if p.ended != nil && (p.ended != transport.ErrPeerClosed || p.rank == peer) {
			return p
		}
	}
	return nil
}

// sleepOnce sleeps until something comes on a socket or somebody rings, and reads
// what has come.
func (m *team) sleepOnce() error {
	m.sockets.Lock() // whoever closes them rings first, then waits for this
	defer m.sockets.Unlock()
	m.asleep.Store(true)
	defer m.asleep.Store(false)
	if m.closed.Load() {
		return transport.ErrClosed
	}
	if m.woken.Load() {
		return nil
	}
	m.fds = append(m.fds[:0], unix.PollFd{Fd: int32(m.bell), Events: unix.POLLIN})
	for _, p := range m.pairs {
		if p.ended == nil {
			m.fds = append(m.fds, unix.PollFd{Fd: int32(p.fd), Events: unix.POLLIN})
		}
	}
	if _, err := unix.Poll(m.fds, -1); err != nil && err != unix.EINTR {
		return err
	}
	var count [8]byte
	unix.Read(m.bell, count[:])
	m.readAll()
	return nil
}

// readAll reads what the members have said. Nothing that is mapped is unmapped
// here: a view may be in use.
func (m *team) readAll() {
	for _, p := range m.pairs {
		for p.ended == nil && p.fd >= 0 {
			f, fd, ok, err := p.read()
			if err == nil && ok {
				err = m.heard(p, f, fd)
			}
			if err != nil {
				p.ended = err
			}
			if !ok {
				break
			}
		}
	}
}

// heard acts on a frame from p.
func (m *team) heard(p *pair, f frame, fd int) error {
	if takesDescriptor := f.kind == board || f.kind == given; takesDescriptor != (fd >= 0) {
		if fd >= 0 {
			unix.Close(fd)
		}
		return fmt.Errorf("%w: a frame with a descriptor too many or too few", transport.ErrProtocol)
	}
	switch f.kind {
	case board, given:
		if f.size > 1<<46 || p.board != nil == (f.kind == board) || p.views[f.id] != nil {
			unix.Close(fd)
			return fmt.Errorf("%w: segment %d of %d bytes", transport.ErrProtocol, f.id, f.size)
		}
		s, err := openSegment(m.t.cfg, fd, int(f.size))
		if err != nil {
			return err
		}
		if f.kind == board {
			p.board = s
		} else {
			p.views[f.id] = s
		}
	case failure:
		p.failed = true
	case taken:
		if s := p.views[f.id]; s != nil {
			delete(p.views, f.id)
			m.stale = append(m.stale, s)
		}
	case bye:
		return transport.ErrPeerClosed
	}
	return nil
}
