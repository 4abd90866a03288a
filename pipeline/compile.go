package pipeline

import (
	"fmt"

	"github.com/ringo-ccl/ringo/schedule"
)

// compiler follows each chunk's value, and its accumulator, through the steps of
// a flow.
type compiler struct {
	g       *Program
	f       *flow
	writer  []int32   // last op that wrote the chunk, or -1
	readers [][]int32 // ops that read it since
	acc     []int32   // last op on the accumulator, or -1
	latest  []int32   // last op of any kind on the chunk, or -1
	out, in map[int]int
}

// compileFlow compiles the steps of one part. whole says that the program has no
// other; stored are the chunks that earlier parts left in the result.
func compileFlow(g *Program, steps []schedule.Step, stored map[int32]bool, whole bool) (*flow, error) {
	c := &compiler{g: g, f: &flow{}, writer: make([]int32, g.Chunks), readers: make([][]int32, g.Chunks),
		acc: make([]int32, g.Chunks), latest: make([]int32, g.Chunks), out: map[int]int{}, in: map[int]int{}}
	for i := range c.writer {
		c.writer[i], c.acc[i], c.latest[i] = -1, -1, -1
	}
	for chunk := range stored {
		c.f.stored = append(c.f.stored, chunk)
	}
	for _, s := range steps {
		for chunk := s.Lo; chunk < s.Hi; chunk++ {
			if err := c.add(s, int32(chunk)); err != nil {
				return nil, err
			}
		}
	}
	c.close(whole)
	return c.f, nil
}

func (c *compiler) add(s schedule.Step, chunk int32) error {
	switch s.Op {
	case schedule.Send:
		if len(c.readers[chunk]) > 0 && c.passesThrough(chunk) {
			return fmt.Errorf("pipeline: rank %d sends chunk %d twice but its result does not hold it", c.g.Rank, chunk)
		}
		i := c.push(opSend, chunk, s.Peer)
		c.f.out = routed(c.f.out, c.out, s.Peer, i)
	case schedule.Recv, schedule.RecvReduce, schedule.RecvLoad, schedule.RecvFold:
		if prev := c.latest[chunk]; prev >= 0 && s.Op == schedule.Recv {
			c.f.ops[prev].last = true
		}
		i := c.push(receiving[s.Op], chunk, s.Peer)
		c.f.in = routed(c.f.in, c.in, s.Peer, i)
	case schedule.Load:
		c.push(opLoad, chunk, s.Peer)
	case schedule.Fold:
		c.push(opFold, chunk, s.Peer)
	case schedule.Store:
		if a := c.acc[chunk]; a >= 0 && !c.isSent(chunk) {
			c.f.ops[a].store = true
		}
		c.push(opStore, chunk, -1)
	case schedule.Finish:
		c.push(opFinish, chunk, -1)
	default:
		return fmt.Errorf("pipeline: rank %d: step %v is not one of a flow", c.g.Rank, s)
	}
	return nil
}

// receiving maps a step that receives to its op.
var receiving = map[schedule.Op]opKind{
	schedule.Recv: opRecv, schedule.RecvReduce: opReduce, schedule.RecvLoad: opRecvLoad, schedule.RecvFold: opRecvFold,
}

// push appends an op and derives what it waits for from the chunk's history.
func (c *compiler) push(kind opKind, chunk int32, peer int) int32 {
	i := int32(len(c.f.ops))
	o := op{kind: kind, chunk: chunk, peer: int32(peer)}
	reads, writes, accumulates := c.touches(kind, peer)
	if w := c.writer[chunk]; w >= 0 && (reads || writes) {
		o.deps = append(o.deps, w)
	}
	if writes {
		o.deps = append(o.deps, c.readers[chunk]...)
		c.writer[chunk], c.readers[chunk] = i, nil
	} else if reads {
		c.readers[chunk] = append(c.readers[chunk], i)
	}
	if accumulates {
		if a := c.acc[chunk]; a >= 0 {
			o.deps = append(o.deps, a)
		}
		if c.acc[chunk] = i; kind == opStore {
			c.acc[chunk] = -1
		}
	}
	if kind != opSend {
		for _, d := range o.deps {
			c.f.ops[d].next = append(c.f.ops[d].next, i)
		}
	}
	c.latest[chunk] = i
	c.f.ops = append(c.f.ops, o)
	return i
}

// touches says what an op does to its chunk and to the chunk's accumulator.
func (c *compiler) touches(kind opKind, peer int) (reads, writes, accumulates bool) {
	switch kind {
	case opSend:
		return true, false, false
	case opRecvLoad, opRecvFold:
		return false, false, true
	case opLoad, opFold:
		return peer == c.g.Rank, false, true
	case opStore:
		return false, true, true
	}
	return true, true, false
}

// isSent says that the chunk's present value goes out on some connection, so that
// it must not be overwritten before that is done.
func (c *compiler) isSent(chunk int32) bool {
	for _, i := range c.readers[chunk] {
		if c.f.ops[i].kind == opSend {
			return true
		}
	}
	return false
}

// passesThrough says that the chunk's value on this rank lives in a scratch slot
// between its arrival and its one send.
func (c *compiler) passesThrough(chunk int32) bool {
	part := newPartition(c.g, 0, 0)
	_, stays := part.inResult(int(chunk))
	return !stays && c.writer[chunk] >= 0
}

// close adds what no plan says: a chunk that belongs to the result and was
// never written is copied there from the source.
func (c *compiler) close(whole bool) {
	part := newPartition(c.g, 0, 0)
	for chunk := range c.writer {
		if _, ok := part.inResult(chunk); ok && whole && c.writer[chunk] < 0 {
			c.push(opFinish, int32(chunk), -1)
		}
		if i := c.latest[chunk]; i >= 0 {
			c.f.ops[i].last = true
		}
	}
	for i, o := range c.f.ops {
		if o.kind.local() && len(o.deps) == 0 {
			c.f.free = append(c.f.free, int32(i))
		}
	}
}

func routed(routes []route, index map[int]int, peer int, i int32) []route {
	at, ok := index[peer]
	if !ok {
		at = len(routes)
		index[peer] = at
		routes = append(routes, route{peer: peer})
	}
	routes[at].ops = append(routes[at].ops, i)
	return routes
}
