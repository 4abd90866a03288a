package allreduce

import (
	"fmt"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/schedule"
	"github.com/ringo-ccl/ringo/transport"
)

// checkFingerprint compares what a neighbour believes it is doing with what this
// rank does.
func (g *Group) checkFingerprint(peer int, stamp []byte) error {
	theirs, err := wire.ParseFingerprint(stamp)
	if err != nil {
		return &transport.OpError{Transport: g.layout.messages, Op: "recv", Peer: peer, Err: fmt.Errorf("%w: %w", transport.ErrProtocol, err)}
	}
	mine, err := wire.ParseFingerprint(g.last.job.Stamp[:])
	if err != nil || mine == theirs {
		return err
	}
	return fmt.Errorf("%w: rank %d called %s, rank %d called %s; they differ in %s",
		ErrMismatch, g.c.Rank, describe(mine), peer, describe(theirs), difference(mine, theirs))
}

func describe(f wire.Fingerprint) string {
	s := fmt.Sprintf("%s #%d", collectiveName(f.Collective), f.Seq)
	if f.Collective == barrierCollective {
		return s
	}
	s += fmt.Sprintf(" of %d %v", f.Count, reduce.Type(f.Type))
	if op := f.OpString(); op != "" {
		s += " with " + op
	}
	return s
}

func collectiveName(c uint8) string {
	if c == barrierCollective {
		return "barrier"
	}
	return schedule.Collective(c).String()
}

// difference names the first field that differs, the most telling first.
func difference(a, b wire.Fingerprint) string {
	switch {
	case a.Collective != b.Collective:
		return "the collective"
	case a.Type != b.Type:
		return "the type"
	case a.Op != b.Op:
		return "the operator"
	case a.Count != b.Count:
		return "the count"
	case a.Seq != b.Seq:
		return "the number of calls before"
	}
	return "the plan"
}
