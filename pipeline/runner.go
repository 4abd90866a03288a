package pipeline

import (
	"context"
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
}

// Validate fills in the defaults and refuses what cannot work.
func (c Config) Validate(poolLimit int) (Config, error) {
	if c.SubChunk == 0 {
		c.SubChunk = DefaultSubChunk
	}
	if c.Depth == 0 {
		c.Depth = DefaultDepth
	}
	switch {
	case c.Depth < 1 || c.Depth > MaxDepth:
		return c, fmt.Errorf("pipeline: depth %d, want 1 to %d", c.Depth, MaxDepth)
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

// Links are the open connections of a rank, lane by lane: Out to the ranks it
// sends to, In from the ranks it receives from.
type Links struct {
	Out, In map[int][]transport.Conn
}

// Job is one collective to run.
type Job struct {
	Program *Program
	Seq     uint32
	Elem    int // bytes of an element
	Count   int // elements, as the collective counts them
	Kernel  reduce.Kernel
	Finish  func(x []byte, ranks int) // nil: no closing step
	// Src and Dst hold the source and the result, which begin at the offsets.
	// They overlap either exactly, chunk by chunk, or not at all.
	Src, Dst       transport.MemoryRegion
	SrcOff, DstOff int
	InPlace        bool // the source's chunks lie where the result's do
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
	memory  map[*Program]*windows // of every program that has run
	base    int                   // number of the oldest window in flight
	begun   int                   // windows that have begun
	program *Program
	sends   []*channel // the program's routes
	recvs   []*channel
	failure error

	aborted atomic.Pointer[error]
	waits   atomic.Int64 // 1 + the rank whose data is missing, 0: none
}

// New makes a Runner over tr. Scratch memory comes from pool.
func New(tr transport.Transport, links Links, pool *mem.Pool, engine reduce.Engine, cfg Config) (*Runner, error) {
	cfg, err := cfg.Validate(pool.Stats().Limit)
	if err != nil {
		return nil, err
	}
	cfg.Depth = min(cfg.Depth, tr.Caps().QueueDepth-1)
	r := &Runner{tr: tr, engine: engine, cfg: cfg, out: map[int]*channel{}, in: map[int]*channel{}, memory: map[*Program]*windows{}}
	for peer, conns := range links.Out {
		r.out[peer] = &channel{peer: peer, conns: conns}
	}
	for peer, conns := range links.In {
		r.in[peer] = &channel{peer: peer, conns: conns}
	}
	if r.slots, err = newSlots(tr, pool, cfg.slots(), cfg.SubChunk); err != nil {
		return nil, err
	}
	if err = r.stamps.open(tr, pool, r.in); err != nil {
		r.slots.close()
		return nil, err
	}
	return r, nil
}

// Close gives the scratch memory back. The Runner must not be running.
func (r *Runner) Close() error {
	err := r.slots.close()
	if serr := r.stamps.close(); err == nil {
		err = serr
	}
	return err
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
	if err := r.start(j); err != nil {
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
		r.waits.Store(int64(r.missing()) + 1)
		if err := r.tr.Wait(ctx); err != nil {
			if cause := r.interrupted(ctx); cause != nil {
				return cause
			}
			return err
		}
	}
	r.waits.Store(0)
	r.job = nil
	return nil
}

// lookUp is how many busy turns of the loop pass between two looks at the
// context.
const lookUp = 64

// turn posts what can be posted, then reaps what is done.
func (r *Runner) turn() (int, error) {
	posted := r.beginWindows()
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
