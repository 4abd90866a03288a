package allreduce

import (
	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/pipeline"
)

// prepared is all about a collective that does not depend on where its buffers
// are or how many there were before. The next one is often like the last.
type prepared struct {
	valid       bool
	like        Request // without its memory
	dst, src    int     // bytes
	barrier     bool
	job         pipeline.Job
	fingerprint wire.Fingerprint
}

// prepare checks r and makes the job for it, without buffers.
func (g *Group) prepare(r *Request, barrier bool) (*prepared, error) {
	p := &g.last
	if !p.valid || !p.fits(r, barrier) {
		p.valid = false
		if err := g.prepareAnew(r, barrier); err != nil {
			return nil, err
		}
	}
	var err error
	big, small := g.bigAndSmall(r)
	p.job.InPlace, err = g.placement(r.Collective, big, small)
	return p, err
}

func (p *prepared) fits(r *Request, barrier bool) bool {
	l := &p.like
	return l.Collective == r.Collective && l.Type == r.Type && l.Op == r.Op && l.Root == r.Root &&
		p.dst == r.Dst.Len() && p.src == r.Src.Len() && p.barrier == barrier
}

func (g *Group) prepareAnew(r *Request, barrier bool) error {
	p := &g.last
	dst, src := r.Dst.Len(), r.Src.Len()
	s, err := g.shape(r)
	if err != nil {
		return err
	}
	k, err := g.pick(g.questionOf(r, s.count))
	if err != nil {
		return err
	}
	*p = prepared{valid: true, like: *r, dst: dst, src: src, barrier: barrier}
	p.like.Dst, p.like.Src = r.Dst.Slice(0, 0), r.Src.Slice(0, 0)
	f := &p.fingerprint
	*f = wire.Fingerprint{Count: uint64(s.count), Plan: k.programs.push.Hash, Collective: uint8(r.Collective), Type: uint8(r.Type)}
	if barrier {
		f.Collective = barrierCollective
	}
	if r.Collective.Reduces() {
		f.Op = wire.OpName(r.Op.String())
	}
	p.job = pipeline.Job{Program: k.programs.push, Pull: k.programs.pull, Elem: r.Type.Size(),
		Count: s.count, Kernel: s.kernel, Finish: s.finish, Check: g.check}
	f.Put(p.job.Stamp[:])
	return nil
}
