package main

import (
	"context"
	"os"
	"sync"

	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// runGoroutines runs all ranks in this process, joined by the inproc transport.
func runGoroutines(ctx context.Context, o *options) int {
	running, stop := context.WithCancel(ctx)
	defer stop()
	store := rendezvous.NewMemory()
	defer store.Close()
	network := inproc.NewNetwork(inproc.Config{})
	v := verdict{outcomes: make([]outcome, o.ranks), interrupted: func() bool { return ctx.Err() != nil }}
	var all sync.WaitGroup
	for rank := range o.ranks {
		all.Go(func() {
			c := o.config()
			client := store.Client()
			defer client.Close()
			c.Rank, c.Ranks, c.Store = rank, o.ranks, client
			c.Drivers = []transport.Driver{network}
			err := runRank(running, o, rank, c)
			if err != nil {
				client.Drop() // its will ends the others' collectives
			}
			if statusOf(err) == exitUsage {
				stop() // this rank did not join, and the others would wait for it
			}
			v.outcomes[rank] = outcome{rank: rank, status: statusOf(err), report: reportOf(err)}
		})
	}
	all.Wait()
	v.print(os.Stderr)
	return v.status()
}
