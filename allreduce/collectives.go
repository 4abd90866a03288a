package allreduce

import (
	"context"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
)

// AllReduce replaces x on every rank by the element-wise combination of all
// ranks' x. len(x), T and op must be the same on all ranks; an empty x is
// allowed. x is the caller's again when AllReduce returns; after an error its
// content is undefined.
func AllReduce[T reduce.Number](ctx context.Context, g *Group, x []T, op reduce.Op) error {
	return AllReduceTo(ctx, g, x, x, op)
}

// AllReduceTo is AllReduce from src to dst, which are equally long and either
// the same slice or disjoint. src is not written unless it is dst.
func AllReduceTo[T reduce.Number](ctx context.Context, g *Group, dst, src []T, op reduce.Op) error {
	return g.Do(ctx, RequestOf(dst, src, op))
}

// ReduceScatter combines all ranks' src, block by block, and leaves block r on
// rank r in dst. len(src) is Size()·len(dst). In place, dst is this rank's block
// of src. src's other blocks are not written.
func ReduceScatter[T reduce.Number](ctx context.Context, g *Group, dst, src []T, op reduce.Op) error {
	return g.Do(ctx, Request{Collective: schedule.ReduceScatter, Type: reduce.TypeOf[T](), Op: op, Dst: mem.Of(dst), Src: mem.Of(src)})
}

// AllGather collects the ranks' src in dst on every rank, in rank order.
// len(dst) is Size()·len(src). In place, src is this rank's block of dst.
func AllGather[T reduce.Number](ctx context.Context, g *Group, dst, src []T) error {
	return g.Do(ctx, Request{Collective: schedule.AllGather, Type: reduce.TypeOf[T](), Dst: mem.Of(dst), Src: mem.Of(src)})
}

// Broadcast copies root's x to x on every other rank. len(x), T and root must be
// the same on all ranks.
func Broadcast[T reduce.Number](ctx context.Context, g *Group, x []T, root int) error {
	return BroadcastTo(ctx, g, x, x, root)
}

// BroadcastTo is Broadcast from root's src to dst on every rank, root's included.
// On root, dst and src are equally long and either the same slice or disjoint; on
// other ranks src is ignored.
func BroadcastTo[T reduce.Number](ctx context.Context, g *Group, dst, src []T, root int) error {
	return g.Do(ctx, Request{Collective: schedule.Broadcast, Type: reduce.TypeOf[T](), Dst: mem.Of(dst), Src: mem.Of(src), Root: root})
}

func barrierRequest(g *Group) Request {
	m := g.barrier.Memory()
	return Request{Collective: schedule.AllReduce, Type: reduce.Uint8, Op: reduce.Max, Dst: m, Src: m}
}

// RequestOf describes an AllReduce from src to dst for Start; dst and src may be
// the same slice.
func RequestOf[T reduce.Number](dst, src []T, op reduce.Op) Request {
	return Request{Collective: schedule.AllReduce, Type: reduce.TypeOf[T](), Op: op, Dst: mem.Of(dst), Src: mem.Of(src)}
}
