package allreduce

import (
	"context"
	"time"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// run executes one collective. The caller's turn has come.
func (g *Group) run(ctx context.Context, r *Request, barrier bool) error {
	g.turn.Lock()
	defer g.turn.Unlock()
	if err := g.dead(); err != nil {
		return err
	}
	s, err := g.shape(r)
	if err != nil {
		return err
	}
	program, err := g.program(keyOf(r.Collective, r.Op))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return g.fail(err)
	}
	j := &g.job
	j.Program, j.Elem, j.Count, j.InPlace = program, r.Type.Size(), s.count, s.inPlace
	j.Kernel, j.Finish, j.Check = s.kernel, s.finish, g.check
	release, err := g.attach(r)
	if err != nil {
		return err
	}
	defer release.close()
	g.begin(r, s.count, program.Hash, barrier)
	err = g.runner.Load().Run(ctx, j)
	if err != nil {
		err = g.fail(err)
	}
	g.end()
	return err
}

// begin numbers the operation, makes its fingerprint and starts its clock.
func (g *Group) begin(r *Request, count int, plan uint64, barrier bool) {
	seq := g.seq.Add(1)
	f := wire.Fingerprint{Seq: seq, Count: uint64(count), Plan: plan, Collective: uint8(r.Collective), Type: uint8(r.Type)}
	if barrier {
		f.Collective = barrierCollective
	}
	if r.Collective != schedule.AllGather {
		f.Op = wire.OpName(r.Op.String())
	}
	f.Put(g.job.Stamp[:])
	g.job.Seq = uint32(seq)
	g.nowOp.Store(uint32(f.Collective))
	g.now.Store(seq)
	if g.c.OpTimeout > 0 {
		g.expiry.Store(int64(time.Since(g.born) + g.c.OpTimeout))
		if g.timer == nil {
			g.timer = time.AfterFunc(g.c.OpTimeout, g.expired)
		} else {
			g.timer.Reset(g.c.OpTimeout)
		}
	}
}

func (g *Group) end() {
	if g.timer != nil {
		g.timer.Stop()
	}
	g.now.Store(0)
}

// attached are the regions that live for one operation.
type attached [2]transport.MemoryRegion

func (a *attached) close() {
	for _, r := range a {
		if r != nil {
			r.Close()
		}
	}
}

// attach gives the job its buffers, registering what the caller did not.
func (g *Group) attach(r *Request) (a attached, err error) {
	var temporary bool
	if g.job.Src, g.job.SrcOff, temporary, err = g.regionOf(r.Src); err != nil {
		return a, err
	}
	if temporary {
		a[0] = g.job.Src
	}
	if g.job.Dst, g.job.DstOff, temporary, err = g.regionOf(r.Dst); err != nil {
		a.close()
		return attached{}, err
	}
	if temporary {
		a[1] = g.job.Dst
	}
	return a, nil
}
