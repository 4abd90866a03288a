package allreduce_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
)

// The program that a launcher (mpirun, srun, torchrun, a Kubernetes Job) starts
// once per rank. Without a launcher it is a group of one.
func Example() {
	ctx := context.Background()
	g, err := allreduce.Join(ctx, allreduce.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	gradient := []float32{1, 2, 3}
	if err := allreduce.AllReduce(ctx, g, gradient, reduce.Avg); err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Size(), gradient)
	// Output: 1 [1 2 3]
}

// A whole program of two ranks in one process. They meet in memory and talk over
// TCP on the loopback interface.
func Example_twoRanks() {
	ctx := context.Background()
	meet := rendezvous.NewMemory()
	sums := make([][]int64, 2)
	var ranks sync.WaitGroup
	for rank := range sums {
		ranks.Go(func() {
			g, err := allreduce.Join(ctx, allreduce.Config{Rank: rank, Ranks: 2, Store: meet.Client()})
			if err != nil {
				log.Fatal(err)
			}
			defer g.Close()
			x := []int64{int64(rank + 1), 10}
			if err := allreduce.AllReduce(ctx, g, x, reduce.Sum); err != nil {
				log.Fatal(err)
			}
			sums[rank] = x
		})
	}
	ranks.Wait()
	fmt.Println(sums)
	// Output: [[3 20] [3 20]]
}

// An asynchronous collective on a registered buffer, with an operator of one's
// own.
func ExampleGroup_Start() {
	ctx := context.Background()
	g, err := allreduce.Join(ctx, allreduce.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	larger := reduce.Func("absmax", true, func(in, inout []float64) {
		for i := range in {
			if in[i]*in[i] > inout[i]*inout[i] {
				inout[i] = in[i]
			}
		}
	})
	x := []float64{-3, 2}
	reg, err := allreduce.RegisterSlice(g, x)
	if err != nil {
		log.Fatal(err)
	}
	defer reg.Close()
	p, err := g.Start(ctx, allreduce.RequestOf(x, x, larger))
	if err != nil {
		log.Fatal(err)
	}
	// … other work …
	if err := p.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [-3 2]
}
