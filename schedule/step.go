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
	// Load makes the chunks' accumulators what rank Peer's memory holds; Peer may
	// be the rank itself.
	Load
	// Fold adds what rank Peer's memory holds: acc = acc ∘ chunk.
	Fold
	// RecvLoad makes the accumulators what Peer sends.
	RecvLoad
	// RecvFold adds what Peer sends: acc = acc ∘ incoming.
	RecvFold
	// Store makes the chunks what their accumulators hold, and empties these. Its
	// Peer is -1.
	Store
	// Copy overwrites the chunks with what rank Peer's memory holds.
	Copy
	// Put overwrites rank Peer's chunks with this rank's.
	Put
	// Signal gives the rank's signal number Lo; all its earlier steps happen
	// before. Its Peer is -1 and Hi is Lo+1.
	Signal
	// Await waits for signal number Lo of rank Peer; all later steps happen after.
	// Hi is Lo+1.
	Await
)

var opNames = [...]string{Send: "send", Recv: "recv", RecvReduce: "recvreduce", Finish: "finish", Load: "load", Fold: "fold",
	RecvLoad: "recvload", RecvFold: "recvfold", Store: "store", Copy: "copy", Put: "put", Signal: "signal", Await: "await"}

// String returns the lower-case name of o.
func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("schedule.Op(%d)", uint8(o))
}

// Direct reports whether o works on shared memory and nothing else.
func (o Op) Direct() bool { return o == Copy || o == Put || o == Signal || o == Await }

// Message reports whether o is one end of a message. What is neither that nor
// Direct is at home among both.
func (o Op) Message() bool { return o == Send || o.receives() }

// home reports whether o is at home among direct steps and among messages.
func (o Op) home() bool { return o == Finish || o == Load || o == Fold || o == Store }

// accumulates reports whether o changes accumulators.
func (o Op) accumulates() bool {
	return o == Load || o == Fold || o == RecvLoad || o == RecvFold || o == Store
}

// alone reports whether o's Peer is -1.
func (o Op) alone() bool { return o == Finish || o == Store || o == Signal }

// receives reports whether o takes a message from its peer.
func (o Op) receives() bool {
	return o == Recv || o == RecvReduce || o == RecvLoad || o == RecvFold
}

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
	if s.Op != Signal && s.Op != Await || s.Hi != s.Lo+1 {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(s.Hi), 10)
	}
	switch {
	case s.Op == Send || s.Op == Put:
		b = append(b, " to "...)
	case s.Op.alone() && s.Peer == -1:
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
	case Send, Recv, Copy, Put:
	case RecvReduce, Finish, Load, Fold, RecvLoad, RecvFold, Store:
		if !p.Collective.Reduces() {
			return fmt.Sprintf("%v has no operator to reduce or finish with", p.Collective)
		}
	case Signal, Await:
		return s.signalFault(p, rank)
	default:
		return fmt.Sprintf("operation %d is unknown", uint8(s.Op))
	}
	switch {
	case s.Op.alone() && s.Peer != -1:
		return fmt.Sprintf("%v takes no peer but -1, not %d", s.Op, s.Peer)
	case !s.Op.alone() && (s.Peer < 0 || s.Peer >= p.Ranks):
		return fmt.Sprintf("peer %d is not one of the %d ranks", s.Peer, p.Ranks)
	case s.Peer == rank && s.Op != Load && s.Op != Fold:
		return "the peer is the rank itself"
	case s.Lo < 0 || s.Hi > p.Chunks:
		return fmt.Sprintf("chunks %d:%d leave the plan's %d chunks", s.Lo, s.Hi, p.Chunks)
	case s.Lo >= s.Hi:
		return fmt.Sprintf("chunks %d:%d are no chunks", s.Lo, s.Hi)
	}
	return ""
}

// signalFault is fault for a Signal or Await.
func (s Step) signalFault(p *Plan, rank int) string {
	switch {
	case s.Op == Signal && s.Peer != -1:
		return fmt.Sprintf("signal takes no peer but -1, not %d", s.Peer)
	case s.Op == Await && (s.Peer < 0 || s.Peer >= p.Ranks || s.Peer == rank):
		return fmt.Sprintf("peer %d is not another of the %d ranks", s.Peer, p.Ranks)
	case s.Lo < 0 || s.Lo >= MaxSteps || s.Hi != s.Lo+1:
		return fmt.Sprintf("%d:%d is no number of a signal", s.Lo, s.Hi)
	}
	return ""
}
