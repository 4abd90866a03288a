package allreduce

import (
	"context"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/pipeline"
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
	p, err := g.prepare(r, barrier)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return g.fail(err)
	}
	j := &p.job
	release, err := g.attach(r, j)
	if err != nil {
		return err
	}
	defer release.close()
	seq := g.progress.begin(p.fingerprint.Collective)
	wire.SetSeq(j.Stamp[:], seq)
	j.Seq = uint32(seq)
	if j.Program.Mixed() {
		err = g.runInSegments(ctx, j)
	} else {
		err = g.runner.Load().Run(ctx, j)
	}
	if err != nil {
		err = g.fail(err)
	}
	g.progress.end()
	return err
}

// segment is the longest message in bytes that goes through a plan within and
// between hosts at a time. It bounds the shared memory that stands in for private
// buffers there.
const segment = 16 << 20

// runInSegments runs j piece by piece. All ranks cut alike, whatever their
// buffers. Each element's sum is the same in any piece, since these plans add all
// elements in the same order, or, in rings, chunk by chunk of the piece.
func (g *Group) runInSegments(ctx context.Context, j *pipeline.Job) error {
	total, src, dst := j.Count, j.SrcOff, j.DstOff
	each := segment / j.Elem
	defer func() { j.Count = total }()
	for first := 0; first == 0 || first < total; first += each {
		j.Count = min(each, total-first)
		j.SrcOff, j.DstOff = src+first*j.Elem, dst+first*j.Elem
		if err := g.runner.Load().Run(ctx, j); err != nil {
			return err
		}
	}
	return nil
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
func (g *Group) attach(r *Request, j *pipeline.Job) (a attached, err error) {
	var temporary bool
	var spare [2]*private
	if g.keepsPrivate(j) {
		spare = [2]*private{&g.private[0], &g.private[1]}
	}
	if r.Collective == schedule.Broadcast && r.Root != g.c.Rank {
		r.Src = r.Dst // takes no part
	}
	if j.Src, j.SrcOff, temporary, err = g.regionOf(r.Src, spare[0]); err != nil {
		return a, err
	}
	if temporary {
		a[0] = j.Src
	}
	if j.Dst, j.DstOff, temporary, err = g.regionOf(r.Dst, spare[1]); err != nil {
		a.close()
		return attached{}, err
	}
	if temporary {
		a[1] = j.Dst
	}
	j.SrcShared, j.DstShared = g.sharedOf(j.Src), g.sharedOf(j.Dst)
	return a, nil
}

// sharedOf is the region that other ranks of the host can address in place of
// region, or nil.
func (g *Group) sharedOf(region transport.MemoryRegion) transport.MemoryRegion {
	if g.share == nil || region == nil {
		return nil
	}
	if _, ok := region.(*private); ok {
		return nil
	}
	if g.direct == nil { // messages go over the same transport
		return region
	}
	for _, b := range g.buffers {
		if b.region == region {
			return b.shared
		}
	}
	return nil
}
