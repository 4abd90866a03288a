package allreduce

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/rendezvous"
)

// TestLateTimer: a deadline that fires late, when the next collective has begun,
// harms nothing.
func TestLateTimer(t *testing.T) {
	leak.Check(t)
	meet := rendezvous.NewMemory()
	fired := make(chan struct{})
	var wg sync.WaitGroup
	for rank := range 2 {
		wg.Go(func() {
			g, err := Join(t.Context(), Config{Rank: rank, Ranks: 2, Store: meet.Client(), OpTimeout: time.Hour, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Error(err)
				return
			}
			defer g.Close()
			if rank == 1 {
				<-fired
			} else {
				go func() {
					for g.now.Load() == 0 { // until the barrier has begun
					}
					g.expired()
					close(fired)
				}()
			}
			if err := g.Barrier(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
