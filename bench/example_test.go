package bench_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// printer is the Watcher of rank 0. It prints what is the same each time.
type printer struct{}

func (printer) Begin(c bench.Collective) { fmt.Println("measuring", c) }
func (printer) Iteration()               {}
func (printer) Row(r bench.Result) {
	fmt.Printf("%d bytes of %s, %s: %d wrong of %d\n", r.Size, r.Type, r.Op, r.InPlace.Wrong()+r.OutOfPlace.Wrong(), r.Checked)
}

// quiet is the Watcher of the other ranks.
type quiet struct{ printer }

func (quiet) Begin(bench.Collective) {}
func (quiet) Row(bench.Result)       {}

// Two ranks in one process measure AllReduce.
func Example() {
	config := bench.Config{
		Collectives: []bench.Collective{bench.AllReduce}, Types: []reduce.Type{reduce.BF16}, Ops: []reduce.Op{reduce.Avg},
		Sizes: bench.Sizes{First: 1 << 10, Last: 64 << 10, Factor: 8}, Iterations: 5, WarmUp: 1, Check: true, Mode: bench.Throughput, Seed: 1,
	}
	store, network := rendezvous.NewMemory(), inproc.NewNetwork(inproc.Config{})
	var ranks sync.WaitGroup
	for rank, watcher := range []bench.Watcher{printer{}, quiet{}} {
		ranks.Go(func() {
			ctx := context.Background()
			g, err := allreduce.Join(ctx, allreduce.Config{Rank: rank, Ranks: 2, Store: store.Client(), Drivers: []transport.Driver{network}})
			if err == nil {
				defer g.Close()
				_, err = bench.Run(ctx, bench.Over(g), config, watcher, slog.Default())
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	ranks.Wait()
	// Output:
	// measuring allreduce
	// 1024 bytes of bfloat16, avg: 0 wrong of 2048
	// 8192 bytes of bfloat16, avg: 0 wrong of 16384
	// 65536 bytes of bfloat16, avg: 0 wrong of 131072
}
