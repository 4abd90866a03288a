package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
	"github.com/ringo-ccl/ringo/rendezvous"
)

// How long the other ranks have to report after one has failed, and to end
// after a signal to arbench.
const (
	reportGrace    = 5 * time.Second
	interruptGrace = 2 * time.Second
)

// runProcesses starts the ranks as processes of this machine, with the same
// arguments, and waits for them.
func runProcesses(ctx context.Context, o *options, args []string) int {
	// The kernel ends a rank when the thread that started it ends, so this
	// goroutine keeps its thread.
	runtime.LockOSThread()
	token := auth.NewToken()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return finish(fmt.Errorf("open a port for the ranks to meet at: %w", err))
	}
	server := rendezvous.ServeListener(listener, rendezvous.ServerConfig{Token: []byte(token)})
	defer server.Close()
	c := &crew{ended: make(chan outcome, o.ranks)}
	defer c.kill()
	for rank := range o.ranks {
		if err := c.start(args, rank, o.ranks, server.Addr(), token); err != nil {
			return finish(fmt.Errorf("start rank %d: %w", rank, err))
		}
	}
	v := verdict{outcomes: c.wait(ctx), interrupted: func() bool { return ctx.Err() != nil }}
	v.print(os.Stderr)
	return v.status()
}

// crew is the processes that are ranks.
type crew struct {
	ranks []*process
	ended chan outcome
}

// start adds the process of rank.
func (c *crew) start(args []string, rank, ranks int, store, token string) error {
	p, err := startProcess(args, rank, []string{
		fmt.Sprintf("RINGO_RANK=%d", rank),
		fmt.Sprintf("RINGO_WORLD_SIZE=%d", ranks),
		"RINGO_STORE=tcp://" + store,
		"RINGO_SERVE=false",
		"RINGO_TOKEN=" + token,
		"RINGO_TOKEN_FILE=",
	})
	if err != nil {
		return err
	}
	c.ranks = append(c.ranks, p)
	go func() { c.ended <- p.wait() }()
	return nil
}

// wait returns how each rank ended. Once one has failed or ctx has ended, the
// others have a while to end too.
func (c *crew) wait(ctx context.Context) []outcome {
	outcomes := make([]outcome, len(c.ranks))
	interrupt, expired := ctx.Done(), make(<-chan time.Time)
	patient := true // no deadline is running yet
	for range c.ranks {
		for waiting := true; waiting; {
			select {
			case o := <-c.ended:
				outcomes[o.rank], waiting = o, false
				if o.report.Usage {
					c.kill()
				}
				if o.status != 0 && patient {
					patient, expired = false, time.After(reportGrace)
				}
			case <-interrupt:
				c.interrupt()
				interrupt, patient, expired = nil, false, time.After(interruptGrace)
			case <-expired:
				c.kill()
			}
		}
	}
	return outcomes
}

// interrupt asks all ranks to end.
func (c *crew) interrupt() {
	for _, p := range c.ranks {
		p.interrupt()
	}
}

// kill ends all ranks that still run.
func (c *crew) kill() {
	for _, p := range c.ranks {
		p.kill()
	}
}
