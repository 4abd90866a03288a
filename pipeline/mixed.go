package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/ringo-ccl/ringo/transport"
)

// bounce is shared memory that stands in for a private buffer where a plan works
// on shared memory and sends messages as well. It grows to the longest message.
type bounce struct {
	shared transport.MemoryRegion // of the team's Direct
	region transport.MemoryRegion // the same memory, of the message transport
}

// runMixed runs the current job, whose program works on shared memory within the
// host and sends messages between hosts: part by part, each on the whole message.
// Callers keep messages short enough for a bounce.
func (r *Runner) runMixed(ctx context.Context) (err error) {
	defer recovered(&err)
	t, j := r.team, r.job
	empty := j.Count == 0
	if !empty && !t.covers(t.offerOf()) {
		if err := r.bounceJob(j); err != nil {
			return err
		}
		defer func() { r.job = j }()
	}
	l := t.begin()
	l.setOffer(t.offerOf())
	t.publish()
	t.cut, t.mode, t.flat = newCut(&r.part, 0), addressed, false
	shared, err := t.readOffers(ctx)
	if err == nil && shared < len(t.Ranks) && !empty {
		err = fmt.Errorf("pipeline: %d of %d ranks have no shared memory for a plan that needs it", len(t.Ranks)-shared, len(t.Ranks))
	}
	if err != nil {
		return err
	}
	for i := range r.program.parts {
		if p := &r.program.parts[i]; p.flow != nil {
			err = r.runFlow(ctx, p.flow)
		} else {
			err = t.doAll(ctx, p.acts, 0, 0)
		}
		if err != nil {
			return err
		}
	}
	t.stages += uint64(r.program.signals)
	if r.job != j {
		r.job = j
		copy(r.own(0, j.Count*j.Elem), r.bounce.region.Memory().Bytes())
	}
	return nil
}

// bounceJob makes the current job one that runs in place on the bounce, with j's
// source in it.
func (r *Runner) bounceJob(j *Job) error {
	n := j.Count * j.Elem
	if err := r.growBounce(n); err != nil {
		return err
	}
	b := &r.bounce
	copy(b.shared.Memory().Bytes(), j.Src.Memory().Bytes()[j.SrcOff:][:n])
	r.bounced = *j
	k := &r.bounced
	k.Src, k.Dst, k.SrcShared, k.DstShared = b.region, b.region, b.shared, b.shared
	k.SrcOff, k.DstOff, k.InPlace = 0, 0, true
	r.job = k
	return nil
}

// growBounce makes the bounce at least n bytes long.
func (r *Runner) growBounce(n int) error {
	b := &r.bounce
	if b.shared != nil && b.shared.Memory().Len() >= n {
		return nil
	}
	if err := b.close(); err != nil {
		return err
	}
	var err error
	if b.shared, err = r.team.Direct.Alloc(n); err != nil {
		return fmt.Errorf("pipeline: shared memory in place of a private buffer: %w", err)
	}
	b.region, err = r.tr.Register(b.shared.Memory())
	return err
}

func (b *bounce) close() error {
	var errs []error
	for _, r := range []transport.MemoryRegion{b.region, b.shared} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	*b = bounce{}
	return errors.Join(errs...)
}
