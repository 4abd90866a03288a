package schedule

import (
	"fmt"
	"strconv"
)

// Op says what a step does.
type Op uint8

const (
	// Send sends the chunks to Peer.
	Send Op = iota + 1
	// Recv overwrites the chunks with what Peer sends.
	Recv
	// RecvReduce reduces what Peer sends into the chunks:
	// local = incoming ∘ local. The incoming operand holds the earlier
	// contributions.
	RecvReduce
	// Finish applies the operator's closing step, such as the division of an
	// average, to chunks in which every contribution has arrived. Its Peer is
	// -1.
	Finish
)

// String returns the lower-case name of o.
func (o Op) String() string {
	switch o {
	case Send:
		return "send"
	case Recv:
		return "recv"
	case RecvReduce:
		return "recvreduce"
	case Finish:
		return "finish"
	}
	return fmt.Sprintf("schedule.Op(%d)", uint8(o))
}

// receives reports whether o takes a message from its peer.
func (o Op) receives() bool { return o == Recv || o == RecvReduce }

// Step is one operation of one rank on the chunks [Lo,Hi), with the rank Peer
// at the other end.
type Step struct {
	Op           Op
	Peer, Lo, Hi int
}

// String returns the step as plans are written: "send 2:3 to 1",
// "recvreduce 0:4 from 3", "finish 1:2". The chunks read like a Go slice
// expression.
func (s Step) String() string { return string(s.append(nil)) }

// append appends the text of s to b.
func (s Step) append(b []byte) []byte {
	b = append(b, s.Op.String()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(s.Lo), 10)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(s.Hi), 10)
	switch {
	case s.Op == Send:
		b = append(b, " to "...)
	case s.Op == Finish && s.Peer == -1:
		return b
	default:
		b = append(b, " from "...)
	}
	return strconv.AppendInt(b, int64(s.Peer), 10)
}

// fault says in a clause what is wrong with s as a step of rank in a plan with
// the head of p, or "" when nothing is.
func (s Step) fault(p *Plan, rank int) string {
	switch s.Op {
	case Send, Recv:
	case RecvReduce, Finish:
		if p.Collective == AllGather {
			return "an allgather has no operator to reduce or finish with"
		}
	default:
		return fmt.Sprintf("operation %d is unknown", uint8(s.Op))
	}
	switch {
	case s.Op == Finish && s.Peer != -1:
		return fmt.Sprintf("finish takes no peer but -1, not %d", s.Peer)
	case s.Op != Finish && (s.Peer < 0 || s.Peer >= p.Ranks):
		return fmt.Sprintf("peer %d is not one of the %d ranks", s.Peer, p.Ranks)
	case s.Peer == rank:
		return "the peer is the rank itself"
	case s.Lo < 0 || s.Hi > p.Chunks:
		return fmt.Sprintf("chunks %d:%d leave the plan's %d chunks", s.Lo, s.Hi, p.Chunks)
	case s.Lo >= s.Hi:
		return fmt.Sprintf("chunks %d:%d are no chunks", s.Lo, s.Hi)
	}
	return ""
}
