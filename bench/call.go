package bench

import (
	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/schedule"
)

// span is a part of a buffer and the index that its first element has in the
// whole array.
type span struct {
	mem.Memory
	first int
}

// call is a request, with the input that the rank puts in before and the output
// that it finds after.
type call struct {
	request       allreduce.Request
	input, output span
	inPlace       bool
}

// call lays p out for rank of ranks.
func (a *arena) call(p point, rank, ranks int, inPlace bool) call {
	count := p.count(ranks)
	whole, block := p.bytes(), count*p.typ.Size()
	one, two := a.first.Memory(), a.second.Memory()
	var src, dst span
	var collective schedule.Collective
	switch p.collective {
	case AllReduce:
		collective = schedule.AllReduce
		src, dst = span{one.Slice(0, whole), 0}, span{two.Slice(0, whole), 0}
		if inPlace {
			src = dst
		}
	case Broadcast:
		collective = schedule.Broadcast
		src, dst = span{one.Slice(0, whole), 0}, span{two.Slice(0, whole), 0}
		if inPlace {
			src = dst
		}
	case ReduceScatter:
		collective = schedule.ReduceScatter
		src, dst = span{one.Slice(0, whole), 0}, span{two.Slice(0, block), rank * count}
		if inPlace {
			dst.Memory = src.Slice(rank*block, block)
		}
	case AllGather:
		collective = schedule.AllGather
		src, dst = span{one.Slice(0, block), rank * count}, span{two.Slice(0, whole), 0}
		if inPlace {
			src.Memory = dst.Slice(rank*block, block)
		}
	}
	request := allreduce.Request{Collective: collective, Type: p.typ, Op: p.op, Dst: dst.Memory, Src: src.Memory}
	return call{request: request, input: src, output: dst, inPlace: inPlace}
}
