package allreduce

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
)

// Group is this rank's membership in a group of ranks. Its methods may be called
// from any goroutine; collectives run one after the other, in the order of the
// calls, which must be the same on all ranks.
//
// The first error of a collective ends the group on all ranks: each returns a
// *RankError with the same cause, and later calls return it wrapped in
// ErrAborted. Invalid arguments (ErrInvalid) end nothing.
type Group struct {
	c         Config
	store     rendezvous.Store
	members   []member
	transport string
	why       string
	pool      *mem.Pool
	engine    reduce.Engine
	barrier   *mem.Slot // one byte
	// destinations and sources are the ranks that any plan sends to and receives
	// from.
	destinations, sources []int
	quit                  context.Context // ends with the group
	stop                  context.CancelFunc
	watchers              sync.WaitGroup

	queue queue

	// turn is held by the goroutine that runs a collective or registers memory:
	// it owns what follows.
	turn       sync.Mutex
	tr         transport.Transport
	runner     atomic.Pointer[pipeline.Runner] // nil until connected
	programs   map[programKey]*pipeline.Program
	registered []*Registration
	job        pipeline.Job
	check      func(peer int, stamp []byte) error
	timer      *time.Timer
	closed     bool

	now    atomic.Uint64 // running operation's number, 0 between operations
	nowOp  atomic.Uint32 // and its collective
	seq    atomic.Uint64 // operations begun
	cause  atomic.Pointer[error]
	over   chan struct{} // closed by adopt when cause is set
	expiry atomic.Int64  // when the running operation is too late, since born
	born   time.Time

	// giveUp ends connect when the group dies before it is complete.
	giveUp atomic.Pointer[context.CancelCauseFunc]
}

// Rank is this rank, from 0 to Size-1.
func (g *Group) Rank() int { return g.c.Rank }

// Size is the world size.
func (g *Group) Size() int { return g.c.Ranks }

// Info describes a group, for logs and reports.
type Info struct {
	Version   string
	Transport string // the one in use
	Why       string // why it was picked
	Algorithm string
	SubChunk  int // bytes
	Depth     int
	Conns     int
	Hosts     []string // by rank
	PoolLimit int      // most bytes beyond the caller's buffers
}

// Info describes the group.
func (g *Group) Info() Info {
	i := Info{Version: Version, Transport: g.transport, Why: g.why, Algorithm: "ring", SubChunk: g.c.SubChunk, Depth: g.c.Depth, Conns: g.c.Conns, PoolLimit: PoolLimit}
	for _, m := range g.members {
		i.Hosts = append(i.Hosts, m.Host)
	}
	return i
}

// dead is the error of a group that ended, or nil.
func (g *Group) dead() error {
	if p := g.cause.Load(); p != nil {
		return &deadError{*p}
	}
	return nil
}

// Abort ends the group on all ranks: their running and later collectives return
// cause. It does not wait for them. Use it when this rank cannot go on.
func (g *Group) Abort(cause error) {
	if cause == nil {
		cause = errors.New("no cause given")
	}
	g.settle(g.blame(g.c.Rank, "", fmt.Errorf("%w: %w", ErrAborted, cause)))
}

// Close leaves the group. A collective that is still running fails on all
// ranks; end collectives on all ranks first. After Close no goroutine, descriptor
// or memory of the group is left.
func (g *Group) Close() error {
	if g.now.Load() != 0 {
		g.settle(g.blame(g.c.Rank, "", ErrClosed))
	} else if r := g.runner.Load(); r != nil {
		r.Abort(g.blame(g.c.Rank, "", ErrClosed)) // for one that is about to begin
	}
	g.turn.Lock()
	defer g.turn.Unlock()
	if g.closed {
		return ErrClosed
	}
	g.closed = true
	closed := error(ErrClosed)
	g.cause.CompareAndSwap(nil, &closed)
	return g.release()
}

// release gives back everything that the group holds.
func (g *Group) release() error {
	g.disarm()
	g.stop()
	g.tr.Close() // once more, if an abort has closed it
	var errs []error
	if r := g.runner.Load(); r != nil {
		r.Drain()
		errs = append(errs, r.Close())
	}
	for _, r := range g.registered {
		errs = append(errs, r.region.Close())
	}
	g.registered = nil
	if g.c.storeEnd != nil {
		errs = append(errs, g.store.Close(), g.c.storeEnd.Close())
	}
	g.watchers.Wait()
	g.barrier.Release()
	errs = append(errs, g.engine.Close(), g.pool.Close())
	return errors.Join(errs...)
}
