package allreduce

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// fail settles why the current operation failed, on all ranks, and returns the
// cause. No request is outstanding afterwards.
func (g *Group) fail(err error) error {
	if errors.Is(err, transport.ErrTruncated) {
		// The peer expected something else. It has this rank's fingerprint and
		// can say what; what this rank knows is only the consequence.
		select {
		case <-g.over:
		case <-time.After(settleTime):
		}
	}
	e := g.settle(g.explain(err))
	g.closeTransports()
	g.runner.Load().Drain()
	return e
}

// explain turns an error of the pipeline into a RankError.
func (g *Group) explain(err error) *RankError {
	var known *RankError
	if errors.As(err, &known) {
		return known
	}
	var op *transport.OpError
	switch {
	case errors.Is(err, ErrMismatch):
		return &RankError{Rank: -1, Op: g.opName(), Seq: g.progress.running(), Err: err}
	case errors.Is(err, transport.ErrPeerClosed) && errors.As(err, &op):
		return g.blame(op.Peer, g.stage(), fmt.Errorf("%w while others still ran a collective", ErrClosed))
	case errors.Is(err, transport.ErrPeerLost) && errors.As(err, &op):
		return g.blame(op.Peer, g.stage(), err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return g.blame(g.c.Rank, g.stage(), fmt.Errorf("%w: the caller's context ended: %w", ErrAborted, err))
	case errors.As(err, &op) && op.Peer >= 0:
		return g.blame(op.Peer, g.stage(), err)
	}
	return g.blame(g.c.Rank, g.stage(), fmt.Errorf("%w: %w", ErrAborted, err))
}

// blame makes a RankError about rank in the current operation.
func (g *Group) blame(rank int, stage string, err error) *RankError {
	e := &RankError{Rank: rank, Op: g.opName(), Seq: g.progress.running(), Stage: stage, Err: err}
	if rank >= 0 && rank < len(g.members) {
		e.Host = g.members[rank].who()
	}
	return e
}

func (g *Group) opName() string { return g.progress.name() }

// stage says what this rank is doing.
func (g *Group) stage() string {
	if g.progress.running() == 0 {
		return ""
	}
	if peer := g.waitingFor(); peer >= 0 {
		return fmt.Sprintf("rank %d was waiting for rank %d", g.c.Rank, peer)
	}
	return fmt.Sprintf("rank %d was moving data", g.c.Rank)
}

// waitingFor is the rank whose data the running collective waits for, or -1.
func (g *Group) waitingFor() int {
	if r := g.runner.Load(); r != nil {
		return r.WaitingFor()
	}
	return -1
}
