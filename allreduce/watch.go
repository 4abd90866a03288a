package allreduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ringo-ccl/ringo/rendezvous"
)

// The control plane is the Store. Whoever fails first writes the cause under
// "abort"; every rank waits for that key. A rank that dies leaves its last will
// there. When a collective takes too long, "census" asks every rank what it is
// doing, so that the error can name who is late.
const (
	abortKey  = "/abort"
	censusKey = "/census"
	// settleTime bounds how long a failing rank asks the Store for the cause.
	settleTime = 500 * time.Millisecond
	// censusTime is how long a rank has to say what it is doing.
	censusTime = 300 * time.Millisecond
)

// watch starts the goroutines that follow the Store. They end with the group.
func (g *Group) watch(ctx context.Context) {
	g.watchdog.start(g)
	if g.c.Ranks == 1 {
		return
	}
	will := &RankError{Rank: g.c.Rank, Host: g.members[g.c.Rank].who(), Err: fmt.Errorf("%w: its process ended or its host cannot be reached", ErrPeerLost)}
	if err := g.store.Will(ctx, g.c.Name+abortKey, encodeCause(will)); err != nil && !errors.Is(err, rendezvous.ErrNoWill) {
		g.c.Log.Warn("no last will: the death of this rank is noticed by its neighbours only", "rank", g.c.Rank, "err", err)
	}
	g.watchers.Add(2)
	go g.watchAbort()
	go g.watchCensus()
}

// disarm replaces the last will by a harmless one: the group ends before the
// Store's client does, when that is the caller's.
func (g *Group) disarm() {
	if g.c.Ranks == 1 || g.c.storeEnd != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	g.store.Will(ctx, fmt.Sprintf("%s/left/%d", g.c.Name, g.c.Rank), nil)
}

func (g *Group) watchAbort() {
	defer g.watchers.Done()
	b, err := g.store.Get(g.quit, g.c.Name+abortKey)
	switch {
	case err == nil:
		g.adopt(decodeCause(b))
	case errors.Is(err, rendezvous.ErrLost):
		g.adopt(g.storeLost(err))
	}
	// Otherwise the group, or the store, was closed on purpose.
}

// storeLost blames the rank that serves the store, if one does.
func (g *Group) storeLost(err error) *RankError {
	for rank := range g.members {
		if g.members[rank].Serves && rank != g.c.Rank {
			return g.blame(rank, "", fmt.Errorf("%w: %w", ErrPeerLost, err))
		}
	}
	return g.blame(-1, "", fmt.Errorf("%w: %w", ErrAborted, err))
}

// adopt makes e the group's cause of death, unless it has one, and ends the
// running collective.
func (g *Group) adopt(e *RankError) error {
	if e.Op == "" && g.progress.running() != 0 { // a will does not know what the others were doing
		c := *e
		c.Op, c.Seq, c.Stage = g.opName(), g.progress.running(), g.stage()
		e = &c
	}
	err := error(e)
	if g.cause.CompareAndSwap(nil, &err) {
		close(g.over)
	}
	settled := *g.cause.Load()
	if r := g.runner.Load(); r != nil {
		r.Abort(settled)
	} else if cancel := g.giveUp.Load(); cancel != nil {
		(*cancel)(settled)
	}
	return settled
}

// settle reports e to all ranks. The first report of any rank wins; settle
// returns it.
func (g *Group) settle(e *RankError) error {
	if p := g.cause.Load(); p != nil {
		return g.adopt(e)
	}
	if g.c.Ranks > 1 && g.quit.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), settleTime)
		defer cancel()
		mine := encodeCause(e)
		stored, err := g.store.Put(ctx, g.c.Name+abortKey, mine)
		if err == nil && !bytes.Equal(stored, mine) {
			e = decodeCause(stored)
		}
	}
	return g.adopt(e)
}

// status is a rank's answer to a census.
type status struct {
	Running uint64 // number of the running collective, 0 between collectives
	Begun   uint64 // collectives begun
	Op      string
	Waiting int // for which rank, or -1
}

func (g *Group) watchCensus() {
	defer g.watchers.Done()
	if _, err := g.store.Get(g.quit, g.c.Name+censusKey); err != nil {
		return
	}
	s := status{Running: g.progress.running(), Begun: g.progress.begun(), Op: g.opName(), Waiting: g.waitingFor()}
	b, _ := json.Marshal(s) // cannot fail: strings and numbers only
	g.store.Put(g.quit, fmt.Sprintf("%s%s/%d", g.c.Name, censusKey, g.c.Rank), b)
}

// expired runs when a collective takes longer than Config.OpTimeout.
func (g *Group) expired() {
	seq := g.progress.running()
	if seq == 0 {
		return // it has ended meanwhile
	}
	if e := g.findLate(seq); g.progress.running() == seq { // else it ended meanwhile
		g.settle(e)
	}
}
