package pipeline

import "github.com/ringo-ccl/ringo/schedule"

// own is a range of this rank's result.
func (r *Runner) own(off, n int) []byte {
	if n == 0 {
		return nil
	}
	j := r.job
	return j.Dst.Memory().Bytes()[j.DstOff+off:][:n:n]
}

// published is what others may want of this rank's source.
func (r *Runner) published() []byte {
	j, p := r.job, &r.part
	n := p.publishedSize()
	if n == 0 || p.collective == schedule.Broadcast && p.rank != p.root {
		return nil
	}
	return j.Src.Memory().Bytes()[j.SrcOff:][:n:n]
}

// publishedSize is the largest len(published) of any member, alike on all.
func (p *partition) publishedSize() int {
	n := p.count * p.elem
	if p.collective == schedule.ReduceScatter {
		n *= p.chunks
	}
	return n
}
