package pipeline

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/ringo-ccl/ringo/schedule"
)

// Program is one rank's part of a plan, ready to run: every step cut into
// single chunks, with what each must wait for. A Program is immutable and may
// be shared.
type Program struct {
	Collective schedule.Collective
	Rank       int
	Ranks      int
	Chunks     int
	// Hash identifies the plan: equal on all ranks that run the same one.
	Hash uint64

	ops  []op
	out  []route // sends, by destination
	in   []route // receives, by source
	free []int32 // local ops that wait for nothing
}

// op is one step on one chunk.
type op struct {
	kind  opKind
	chunk int32
	deps  []int32 // ops on the same chunk that must be done before
	next  []int32 // ops that wait for this one and run by themselves: all but sends
	last  bool    // nobody reads the chunk's value after this op
}

type opKind uint8

const (
	opSend   opKind = iota
	opRecv          // overwrite the chunk with what arrives
	opReduce        // chunk = arriving ∘ chunk
	opFinish        // the operator's closing step, and the copy to the result if nothing was received
)

// route is the order in which ops use the connections to or from one peer.
type route struct {
	peer int
	ops  []int32
}

// Compile makes rank's program of a plan that schedule.Check accepts.
func Compile(p schedule.Plan, rank int) (*Program, error) {
	if rank < 0 || rank >= p.Ranks || len(p.Steps) != p.Ranks {
		return nil, fmt.Errorf("pipeline: rank %d of a plan for %d ranks", rank, p.Ranks)
	}
	if p.Collective != schedule.AllReduce && p.Chunks != p.Ranks {
		return nil, fmt.Errorf("pipeline: %v with %d chunks for %d ranks; it needs one chunk a rank", p.Collective, p.Chunks, p.Ranks)
	}
	g := &Program{Collective: p.Collective, Rank: rank, Ranks: p.Ranks, Chunks: p.Chunks, Hash: hashPlan(p)}
	c := newCompiler(g)
	for _, s := range p.Steps[rank] {
		for chunk := s.Lo; chunk < s.Hi; chunk++ {
			if err := c.add(s, int32(chunk)); err != nil {
				return nil, err
			}
		}
	}
	c.close()
	return g, nil
}

// compiler follows each chunk's value through the steps.
type compiler struct {
	g       *Program
	writer  []int32   // last op that wrote the chunk, or -1
	readers [][]int32 // ops that read it since
	latest  []int32   // last op of any kind on the chunk, or -1
	out, in map[int]int
}

func newCompiler(g *Program) *compiler {
	c := &compiler{g: g, writer: make([]int32, g.Chunks), readers: make([][]int32, g.Chunks),
		latest: make([]int32, g.Chunks), out: map[int]int{}, in: map[int]int{}}
	for i := range c.writer {
		c.writer[i], c.latest[i] = -1, -1
	}
	return c
}

func (c *compiler) add(s schedule.Step, chunk int32) error {
	switch s.Op {
	case schedule.Send:
		if len(c.readers[chunk]) > 0 && c.passesThrough(chunk) {
			return fmt.Errorf("pipeline: rank %d sends chunk %d twice but its result does not hold it", c.g.Rank, chunk)
		}
		i := c.push(opSend, chunk)
		c.g.out = routed(c.g.out, c.out, s.Peer, i)
	case schedule.Recv:
		if prev := c.latest[chunk]; prev >= 0 {
			c.g.ops[prev].last = true
		}
		i := c.push(opRecv, chunk)
		c.g.in = routed(c.g.in, c.in, s.Peer, i)
	case schedule.RecvReduce:
		i := c.push(opReduce, chunk)
		c.g.in = routed(c.g.in, c.in, s.Peer, i)
	case schedule.Finish:
		c.push(opFinish, chunk)
	default:
		return fmt.Errorf("pipeline: rank %d: step %v is not one that this pipeline runs", c.g.Rank, s)
	}
	return nil
}

// push appends an op and derives what it waits for from the chunk's history.
func (c *compiler) push(kind opKind, chunk int32) int32 {
	i := int32(len(c.g.ops))
	o := op{kind: kind, chunk: chunk}
	if w := c.writer[chunk]; w >= 0 {
		o.deps = append(o.deps, w)
	}
	if kind == opSend {
		c.readers[chunk] = append(c.readers[chunk], i)
	} else {
		o.deps = append(o.deps, c.readers[chunk]...)
		c.writer[chunk], c.readers[chunk] = i, nil
		for _, d := range o.deps {
			c.g.ops[d].next = append(c.g.ops[d].next, i)
		}
	}
	c.latest[chunk] = i
	c.g.ops = append(c.g.ops, o)
	return i
}

// passesThrough says that the chunk's value on this rank lives in a scratch slot
// between its arrival and its one send.
func (c *compiler) passesThrough(chunk int32) bool {
	part := partition{collective: c.g.Collective, rank: c.g.Rank}
	_, stays := part.inResult(int(chunk))
	return !stays && c.writer[chunk] >= 0
}

// close adds what no plan says: a chunk that belongs to the result and was
// never written is copied there from the source.
func (c *compiler) close() {
	part := partition{collective: c.g.Collective, rank: c.g.Rank, chunks: c.g.Chunks}
	for chunk := range c.writer {
		if _, ok := part.inResult(chunk); ok && c.writer[chunk] < 0 {
			c.push(opFinish, int32(chunk))
		}
		if i := c.latest[chunk]; i >= 0 {
			c.g.ops[i].last = true
		}
	}
	for i, o := range c.g.ops {
		if o.kind == opFinish && len(o.deps) == 0 {
			c.g.free = append(c.g.free, int32(i))
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

// Destinations lists the ranks that the program sends to, in order of first use.
func (g *Program) Destinations() []int { return peers(g.out) }

// Sources lists the ranks that the program receives from.
func (g *Program) Sources() []int { return peers(g.in) }

func peers(routes []route) []int {
	var ps []int
	for _, r := range routes {
		ps = append(ps, r.peer)
	}
	return ps
}

// hashPlan hashes every field of every step.
func hashPlan(p schedule.Plan) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v %s %d %d\n", p.Collective, p.Name, p.Ranks, p.Chunks)
	var b []byte
	for r, steps := range p.Steps {
		b = binary.AppendUvarint(b[:0], uint64(r))
		for _, s := range steps {
			b = binary.AppendVarint(append(b, byte(s.Op)), int64(s.Peer))
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.Lo)), uint64(s.Hi))
		}
		h.Write(b)
	}
	return h.Sum64()
}
