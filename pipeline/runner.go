package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport"
)

// StampSize is the length in bytes of the message that opens every run on every
// connection.
const StampSize = 64

const (
	// DefaultSubChunk is the longest sub-chunk in bytes: large enough that a
	// system call costs little beside its copy, small enough that slots stay in
	// the second-level cache.
	DefaultSubChunk = 256 << 10
	// DefaultDepth is how many sub-chunks are in flight to, and from, a peer.
	DefaultDepth = 2
	// MaxDepth bounds the depth.
	MaxDepth = 32
)

// Config sizes a Runner. The zero value works. None of it changes a result.
type Config struct {
	SubChunk int // longest sub-chunk in bytes; 0: DefaultSubChunk
	Depth    int // sub-chunks in flight per peer and direction; 0: DefaultDepth
	// Ranks is the world size, where every rank may be connected with every other;
	// 0: none is.
	Ranks int
	// StageBlock is the length in bytes of the blocks through which private
	// buffers pass between ranks that share memory; 0: StageBlockFor(2).
	StageBlock int
	// FetchMin and FetchMax are the sizes in bytes between which the kernel copies
	// straight from private buffers, where it may; 0 and 0: DefaultFetchMin and
	// DefaultFetchMax. -1 as FetchMin: never.
	FetchMin, FetchMax int
	// FetchAlways has the kernel copy between any number of ranks, not only two.
	FetchAlways bool
}

// The sizes between which one copy by the kernel beats two through a block,
// measured in docs/PERFORMANCE.md.
const (
	DefaultFetchMin = 2 << 20
	DefaultFetchMax = 32 << 20
)

// Validate fills in the defaults and refuses what cannot work.
func (c Config) Validate(poolLimit int) (Config, error) {
	if c.SubChunk == 0 {
		c.SubChunk = DefaultSubChunk
	}
	if c.Depth == 0 {
		c.Depth = DefaultDepth
	}
	if c.FetchMin == 0 && c.FetchMax == 0 {
		c.FetchMin, c.FetchMax = DefaultFetchMin, DefaultFetchMax
	}
	if c.FetchMin < 0 {
		c.FetchMin, c.FetchMax = 1, 0
	}
	c.StageBlock = c.stageBlock()
	switch {
	case c.Depth < 1 || c.Depth > MaxDepth:
		return c, fmt.Errorf("pipeline: depth %d, want 1 to %d", c.Depth, MaxDepth)
	case c.StageBlock < 4096 || c.StageBlock > 16<<20 || c.StageBlock%4096 != 0:
		return c, fmt.Errorf("pipeline: stage block of %d bytes, want whole pages up to 16 MiB", c.StageBlock)
	case c.SubChunk < 64:
		return c, fmt.Errorf("pipeline: sub-chunk of %d bytes, want at least 64", c.SubChunk)
	case c.SubChunk*c.slots() > poolLimit/2: // slots are powers of two
		return c, fmt.Errorf("pipeline: sub-chunks of %d bytes at depth %d need %d bytes of scratch memory; at most %d may be used",
			c.SubChunk, c.Depth, c.SubChunk*c.slots(), poolLimit/2)
	}
	return c, nil
}

// slots is how much scratch a run needs. Depth receives are in flight; a rank
// whose result does not hold a chunk keeps what passes through until it is sent
// on, at most a window and a sub-chunk of it (the ring's positions of receive
// and send differ by a window, see docs/ARCHITECTURE.md).
func (c Config) slots() int { return c.Depth + 2*windowUnits + 1 }

// slotsFor is how much scratch a run with that many sources needs: none without
// any. Each keeps Depth receives in flight, and every unit of the windows in
// flight may hold an accumulator.
func (c Config) slotsFor(sources int) int {
	switch sources {
	case 0:
		return 0
	case 1:
		return c.slots()
	}
	return c.Depth*sources + windowsInFlight*windowUnits + 1
}

// Links are the open connections of a rank, lane by lane: Out to the ranks it
// sends to, In from the ranks it receives from.
type Links struct {
	Out, In map[int][]transport.Conn
}

// Job is one collective to run.
type Job struct {
	Program *Program
	// Pull does the same where buffers are private and results have to be read
	// instead of written; nil: Program can do that too.
	Pull   *Program
	Seq    uint32
	Elem   int // bytes of an element
	Count  int // elements, as the collective counts them
	Kernel reduce.Kernel
	Finish func(x []byte, ranks int) // nil: no closing step
	// Src and Dst hold the source and the result, which begin at the offsets.
	// They overlap either exactly, chunk by chunk, or not at all.
	Src, Dst       transport.MemoryRegion
	SrcOff, DstOff int
	// SrcShared and DstShared are the same memory as Src and Dst, with the same
	// offsets, as regions of Share.Direct; nil where that does not know it.
	SrcShared, DstShared transport.MemoryRegion
	InPlace              bool // the source's chunks lie where the result's do
	// Stamp opens the run on every connection. Check judges what peer sent.
	Stamp [StampSize]byte
	Check func(peer int, stamp []byte) error
}

// Runner runs jobs over one transport, one after the other. One goroutine at a
// time owns it; Abort and WaitingFor may be called from any.
type Runner struct {
	tr      transport.Transport
	engine  reduce.Engine
	cfg     Config
	slots   *slots
	stamps  stamps
	out, in map[int]*channel // by peer
	comps   [64]transport.Completion
	reduced [8]reduce.Done

	job     *Job
	part    partition
	windows *windows
	memory  map[*flow]*windows // of every flow that has run
	base    int                // number of the oldest window in flight
	begun   int                // windows that have begun
	program *Program
	flow    *flow      // the part that runs, or ran last
	starved []uint64   // tickets of folds that found no free slot
	sends   []*channel // the flow's routes
	recvs   []*channel
	failure error

	express *express // nil: this rank is not connected with every other
	team    *team    // nil: no rank shares memory with this one
	bounce  bounce
	bounced Job

	aborted atomic.Pointer[error]
	waits   atomic.Int64 // 1 + the rank whose data is missing, 0: none
}

// New makes a Runner over tr. Scratch memory comes from pool.
//
// With share, which may be nil, it also runs plans on the memory of share's ranks.
func New(tr transport.Transport, links Links, share *Share, pool *mem.Pool, engine reduce.Engine, cfg Config) (*Runner, error) {
	cfg, err := cfg.Validate(pool.Stats().Limit)
	if err != nil {
		return nil, err
	}
	cfg.Depth = min(cfg.Depth, tr.Caps().QueueDepth-1)
	r := &Runner{tr: tr, engine: engine, cfg: cfg, out: map[int]*channel{}, in: map[int]*channel{}, memory: map[*flow]*windows{}}
	for peer, conns := range links.Out {
		r.out[peer] = &channel{peer: peer, conns: conns}
	}
	for peer, conns := range links.In {
		r.in[peer] = &channel{peer: peer, conns: conns}
	}
	if share != nil {
		if r.team, err = newTeam(r, *share, pool); err != nil {
			return nil, err
		}
	}
	if r.slots, err = newSlots(tr, pool, cfg.slotsFor(len(links.In)), cfg.SubChunk); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err = r.stamps.open(tr, pool, r.in); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if r.express, err = newExpress(r, cfg.Ranks, pool); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// rankOf is this rank, in a Runner that is connected with all others.
func (r *Runner) rankOf(ranks int) int {
	for rank := range ranks {
		if r.in[rank] == nil {
			return rank
		}
	}
	return -1
}

// Close gives the scratch memory back. The Runner must not be running.
func (r *Runner) Close() error {
	var errs []error
	if r.slots != nil {
		errs = append(errs, r.slots.close())
	}
	if r.express != nil {
		errs = append(errs, r.express.close())
	}
	if r.stamps.region != nil {
		errs = append(errs, r.stamps.close())
	}
	if r.team != nil {
		errs = append(errs, r.bounce.close())
		r.team.close()
	}
	return errors.Join(errs...)
}

// Abort makes the current Run, and every later one, return err. The first call
// wins.
func (r *Runner) Abort(err error) {
	if r.aborted.CompareAndSwap(nil, &err) {
		r.tr.Wake()
	}
}

// WaitingFor is the rank whose data the current Run is waiting for, or -1.
func (r *Runner) WaitingFor() int { return int(r.waits.Load()) - 1 }

// Run executes j and returns when the result is complete and no request is
// outstanding. On an error the transport must be closed, and its completions
// drained with Drain, before the buffers may be touched again.
func (r *Runner) Run(ctx context.Context, j *Job) error {
	if p := r.aborted.Load(); p != nil {
		return *p
	}
	r.job, r.program, r.failure = j, j.Program, nil
	r.part = newPartition(j.Program, j.Elem, j.Count)
	err := r.run(ctx)
	r.job = nil
	return err
}

// run executes the current job.
func (r *Runner) run(ctx context.Context) error {
	parts := r.program.parts
	switch {
	case r.express.takes(r.program, &r.part):
		return r.express.run(ctx)
	case !r.program.Direct():
		return r.runFlow(ctx, parts[0].flow)
	case r.team == nil:
		return errors.New("pipeline: the plan works on other ranks' memory, but no rank shares memory with this one")
	case r.program.mixed:
		return r.runMixed(ctx)
	}
	return r.runShared(ctx)
}

// runFlow posts and polls until all of f is done.
func (r *Runner) runFlow(ctx context.Context, f *flow) error {
	if err := r.startFlow(f); err != nil {
		return err
	}
	for turns, idle := 0, 0; !r.finished(); turns++ {
		n, err := r.turn()
		if err != nil {
			return err
		}
		if n > 0 {
			idle = 0
			r.waits.Store(0)
		} else {
			idle++
		}
		if idle < 2 && turns%lookUp != 0 {
			continue
		}
		if err := r.interrupted(ctx); err != nil {
			return err
		}
		if idle < 2 {
			continue
		}
		if err := r.sleep(ctx, r.missing()); err != nil {
			return err
		}
	}
	r.waits.Store(0)
	return nil
}

// lookUp is how many busy turns of the loop pass between two looks at the
// context.
const lookUp = 64

// turn posts what can be posted, then reaps what is done.
func (r *Runner) turn() (int, error) {
	posted := r.beginWindows()
	r.feed()
	for _, c := range r.recvs {
		posted += r.postRecvs(c)
	}
	for _, c := range r.sends {
		posted += r.postSends(c)
	}
	if r.failure != nil {
		return 0, r.failure
	}
	n, err := r.tr.Poll(r.comps[:])
	if err != nil {
		return 0, err
	}
	for i := range r.comps[:n] {
		if err := r.reap(&r.comps[i]); err != nil {
			return 0, err
		}
	}
	for r.failure == nil && r.reapEngine() > 0 {
	}
	return n + posted, r.failure
}

// sleep waits until the transport has something, for a rank that is missing, or -1.
func (r *Runner) sleep(ctx context.Context, missing int) error {
	r.waits.Store(int64(missing) + 1)
	if err := r.tr.Wait(ctx); err != nil {
		return r.because(ctx, err)
	}
	return nil
}

// because is why a wait ended with err: the run was interrupted, or err itself.
func (r *Runner) because(ctx context.Context, err error) error {
	if cause := r.interrupted(ctx); cause != nil {
		return cause
	}
	return err
}

func (r *Runner) interrupted(ctx context.Context) error {
	if p := r.aborted.Load(); p != nil {
		return *p
	}
	return ctx.Err()
}

// Drain reaps what a closed transport still reports, so that no request is
// outstanding on the caller's memory.
func (r *Runner) Drain() {
	for {
		if n, err := r.tr.Poll(r.comps[:]); n == 0 || err != nil {
			return
		}
	}
}
