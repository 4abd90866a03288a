package allreduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringo-ccl/ringo/choose"
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
	c       Config
	store   rendezvous.Store
	members []member
	layout  layout
	profile choose.Profile
	pool    *mem.Pool
	engine  reduce.Engine
	barrier *mem.Slot // one byte
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
	tr         transport.Transport             // of messages
	direct     transport.Transport             // on which ranks share memory, when that is another
	share      *pipeline.Share                 // with whom this rank shares memory, or nil
	runner     atomic.Pointer[pipeline.Runner] // nil until connected
	programs   map[programKey]*programs
	picks      map[question]*pick
	registered []*Registration
	buffers    []*Buffer
	private    [2]private // the running collective's source and result, if it keeps them to itself
	sharesAll  bool       // registered memory is memory that others can address
	check      func(peer int, stamp []byte) error
	closed     bool

	progress progress
	last     prepared // the collective that runs, or ran last; the turn's
	cause    atomic.Pointer[error]
	over     chan struct{} // closed by adopt when cause is set
	watchdog watchdog
	born     time.Time

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
	Transport string // in use: "tcp", or "shm+tcp" for within and between hosts
	Why       string // why it was picked
	Algorithm string // as configured: "auto" or a name
	// Reproducible says whether every element is summed in rank order.
	Reproducible bool
	// Team is the ranks that share memory with this one, itself included.
	Team      []int
	Profile   string // the cost model's name
	SubChunk  int    // bytes
	Depth     int
	Conns     int
	Hosts     []string // by rank
	PoolLimit int      // most bytes beyond the caller's buffers
}

// Info describes the group.
func (g *Group) Info() Info {
	i := Info{Version: Version, Transport: g.layout.name(), Why: g.layout.why, Algorithm: g.c.Algorithm, Reproducible: g.c.Reproducible != Off,
		Profile: g.profile.Name, SubChunk: g.c.SubChunk, Depth: g.c.Depth, Conns: g.c.Conns, PoolLimit: PoolLimit}
	if g.share != nil {
		i.Team = slices.Clone(g.share.Ranks)
	}
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
	if g.progress.running() != 0 {
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

// closeTransports ends all connections, and everybody's waiting on them.
func (g *Group) closeTransports() {
	if g.direct != nil {
		g.direct.Close()
	}
	g.tr.Close()
}

// release gives back everything that the group holds.
func (g *Group) release() error {
	g.disarm()
	g.stop()
	g.watchdog.stop()
	g.closeTransports() // once more, if an abort has closed them
	var errs []error
	if r := g.runner.Load(); r != nil {
		r.Drain()
		errs = append(errs, r.Close())
	}
	for _, r := range g.registered {
		errs = append(errs, r.region.Close())
	}
	for _, b := range g.buffers {
		errs = append(errs, b.release())
	}
	g.registered, g.buffers = nil, nil
	if g.share != nil {
		errs = append(errs, g.share.Direct.Disband())
	}
	if g.c.storeEnd != nil {
		errs = append(errs, g.store.Close(), g.c.storeEnd.Close())
	}
	g.watchers.Wait()
	g.barrier.Release()
	errs = append(errs, g.engine.Close(), g.pool.Close())
	return errors.Join(errs...)
}
