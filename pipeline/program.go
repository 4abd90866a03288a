package pipeline

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/ringo-ccl/ringo/schedule"
)

// Program is one rank's part of a plan, ready to run: every step cut into
// single chunks, with what each must wait for. A Program is immutable and may
// be shared.
//
// Its parts run one after the other. A part is either a flow of messages, which
// the loop posts and polls, or a list of acts on memory that ranks share.
type Program struct {
	Collective schedule.Collective
	Rank       int
	Ranks      int
	Chunks     int
	Root       int
	// Hash identifies the plan: equal on all ranks that run the same one.
	Hash uint64

	parts   []part
	signals int  // that the rank gives on shared memory
	flat    bool // every rank sends each other all it has, and nothing else
	mixed   bool // see Mixed
}

// part is a flow or acts, never both.
type part struct {
	flow *flow
	acts []act
	// segments are the acts, split behind each signal.
	segments [][]act
}

// flow is the steps of a part that sends and receives.
type flow struct {
	ops    []op
	out    []route // sends, by destination
	in     []route // receives, by source
	free   []int32 // local ops that wait for nothing
	stored []int32 // chunks that an earlier part left in the result
}

// op is one step on one chunk.
type op struct {
	kind  opKind
	chunk int32
	peer  int32   // of opLoad and opFold: whose memory
	deps  []int32 // ops on the same chunk that must be done before
	next  []int32 // ops that wait for this one and run by themselves: all but sends
	last  bool    // nobody reads the chunk's value after this op
	store bool    // of a fold: its result is what the chunk becomes
}

type opKind uint8

const (
	opSend     opKind = iota
	opRecv            // overwrite the chunk with what arrives
	opReduce          // chunk = arriving ∘ chunk
	opFinish          // the operator's closing step, and the copy to the result if nothing was received
	opRecvLoad        // accumulator = what arrives
	opRecvFold        // accumulator = accumulator ∘ what arrives
	opLoad            // accumulator = the chunk in some rank's memory
	opFold            // accumulator = accumulator ∘ the chunk in some rank's memory
	opStore           // chunk = accumulator
)

// receives says that a message from the route's peer starts the op.
func (k opKind) receives() bool {
	return k == opRecv || k == opReduce || k == opRecvLoad || k == opRecvFold
}

// local says that the op runs by itself once everything before it is done.
func (k opKind) local() bool {
	return k == opFinish || k == opLoad || k == opFold || k == opStore
}

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
	if p.Collective.Blocks() && p.Chunks != p.Ranks {
		return nil, fmt.Errorf("pipeline: %v with %d chunks for %d ranks; it needs one chunk a rank", p.Collective, p.Chunks, p.Ranks)
	}
	g := &Program{Collective: p.Collective, Rank: rank, Ranks: p.Ranks, Chunks: p.Chunks, Root: p.Root, Hash: hashPlan(p)}
	any := func(is func(schedule.Step) bool) bool {
		return slices.ContainsFunc(p.Steps, func(steps []schedule.Step) bool { return slices.ContainsFunc(steps, is) })
	}
	g.flat = p.Name == "flat" && p.Collective != schedule.Broadcast
	g.mixed = any(isDirect) && any(isMessage)
	pieces := split(p.Steps[rank])
	stored := map[int32]bool{}
	for _, s := range pieces {
		if s.direct {
			a, err := compileActs(g, p, s.steps)
			if err != nil {
				return nil, err
			}
			g.parts = append(g.parts, part{acts: a, segments: bySignal(a)})
		} else {
			f, err := compileFlow(g, s.steps, stored, len(pieces) == 1)
			if err != nil {
				return nil, err
			}
			g.parts = append(g.parts, part{flow: f})
		}
		for _, step := range s.steps {
			if step.Op == schedule.Signal {
				g.signals++
			}
			if step.Op == schedule.Store {
				for c := step.Lo; c < step.Hi; c++ {
					stored[int32(c)] = true
				}
			}
		}
	}
	return g, nil
}

// piece is a run of a rank's steps that become one part.
type piece struct {
	direct bool
	steps  []schedule.Step
}

// split cuts steps wherever they turn from peers' memory to messages or back.
// Steps that are at home in both stay with what came before them.
func split(steps []schedule.Step) []piece {
	direct := slices.ContainsFunc(steps, isDirect)
	var pieces []piece
	for _, s := range steps {
		switch {
		case isDirect(s):
			direct = true
		case isMessage(s):
			direct = false
		}
		if n := len(pieces); n > 0 && pieces[n-1].direct == direct {
			pieces[n-1].steps = append(pieces[n-1].steps, s)
			continue
		}
		pieces = append(pieces, piece{direct, []schedule.Step{s}})
	}
	if len(pieces) == 0 {
		pieces = []piece{{}} // nothing to do is a flow without ops
	}
	return pieces
}

func isDirect(s schedule.Step) bool { return s.Op.Direct() }

func isMessage(s schedule.Step) bool { return s.Op.Message() }

// Destinations lists the ranks that the program sends to, in order of first use.
func (g *Program) Destinations() []int { return g.peers(func(f *flow) []route { return f.out }) }

// Sources lists the ranks that the program receives from.
func (g *Program) Sources() []int { return g.peers(func(f *flow) []route { return f.in }) }

func (g *Program) peers(of func(*flow) []route) []int {
	var ps []int
	for _, part := range g.parts {
		if part.flow == nil {
			continue
		}
		for _, r := range of(part.flow) {
			if !slices.Contains(ps, r.peer) {
				ps = append(ps, r.peer)
			}
		}
	}
	return ps
}

// Direct reports whether the program works on other ranks' memory.
func (g *Program) Direct() bool {
	return slices.ContainsFunc(g.parts, func(p part) bool { return p.flow == nil })
}

// Mixed reports whether some rank sends messages and some rank works on shared
// memory.
func (g *Program) Mixed() bool { return g.mixed }

// hashPlan hashes every field of every step.
func hashPlan(p schedule.Plan) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%v %s %d %d %d\n", p.Collective, p.Name, p.Ranks, p.Chunks, p.Root)
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
