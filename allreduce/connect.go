package allreduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/transport"
)

// connect opens the connections that the group's plans need: every rank dials
// those it sends to and accepts those it receives from, at the same time.
// Afterwards it stops listening.
func (g *Group) connect(ctx context.Context, l transport.Listener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer l.Close()
	g.giveUp.Store(&cancel)
	if err := g.dead(); err != nil { // adopt came before giveUp
		return err
	}
	accepted := make(chan error, 1)
	in := map[int][]transport.Conn{}
	go func() {
		err := g.acceptAll(ctx, l, in)
		if err != nil {
			cancel(err)
		}
		accepted <- err
	}()
	out, err := g.dialAll(ctx)
	if err != nil {
		cancel(err)
	}
	acceptErr := <-accepted
	if dead := g.dead(); dead != nil {
		return dead
	}
	if err != nil || acceptErr != nil {
		// The first to fail cancelled the other. All ranks learn of it before this one
		// hangs up on those that are connecting to it.
		return g.settle(g.explain(context.Cause(ctx)))
	}
	runner, err := pipeline.New(g.tr, pipeline.Links{Out: out, In: in}, g.share, g.pool, g.engine, g.c.pipeline(len(g.layout.host(g.c.Rank))))
	if err != nil {
		return err
	}
	g.runner.Store(runner)
	return g.dead() // a death that adopt saw before it saw the runner
}

func (g *Group) dialAll(ctx context.Context) (map[int][]transport.Conn, error) {
	out := map[int][]transport.Conn{}
	for _, peer := range g.destinations {
		for lane := range g.c.Conns {
			conn, err := g.tr.Dial(ctx, g.members[peer].Addrs[g.layout.messages], transport.Peer{Rank: peer, Lane: lane})
			if err != nil {
				return nil, fmt.Errorf("connect to rank %d (%s): %w", peer, g.members[peer].who(), err)
			}
			out[peer] = append(out[peer], conn)
		}
	}
	return out, nil
}

// acceptAll fills in with the connections of every source, by lane.
func (g *Group) acceptAll(ctx context.Context, l transport.Listener, in map[int][]transport.Conn) error {
	for _, s := range g.sources {
		in[s] = make([]transport.Conn, g.c.Conns)
	}
	for left := len(g.sources) * g.c.Conns; left > 0; left-- {
		conn, err := l.Accept(ctx)
		if err != nil {
			return fmt.Errorf("waiting for connections from ranks %v: %w", unconnected(in), err)
		}
		p := conn.Peer()
		if lanes := in[p.Rank]; p.Lane >= len(lanes) {
			return fmt.Errorf("rank %d (%s) opened lane %d, which no plan has", p.Rank, g.members[p.Rank].who(), p.Lane)
		}
		in[p.Rank][p.Lane] = conn
	}
	return nil
}

func unconnected(in map[int][]transport.Conn) (ranks []int) {
	for rank, lanes := range in {
		if slices.Contains(lanes, nil) {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}
