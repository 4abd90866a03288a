package rendezvous_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ringo-ccl/ringo/rendezvous"
)

// Three ranks of one process meet in a store in memory.
func ExampleGather() {
	store := rendezvous.NewMemory()
	defer store.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	var ranks sync.WaitGroup
	for rank := range 3 {
		ranks.Go(func() {
			addresses, err := rendezvous.Gather(ctx, store, rendezvous.GatherConfig{
				Prefix: "address/",
				Rank:   rank,
				Ranks:  3,
				Value:  fmt.Appendf(nil, "10.0.0.%d:7000", rank+1),
			})
			if err != nil {
				fmt.Println(err)
			} else if rank == 0 {
				fmt.Printf("%s\n", addresses)
			}
		})
	}
	ranks.Wait()
	// Output: [10.0.0.1:7000 10.0.0.2:7000 10.0.0.3:7000]
}

// A program asks which rank its launcher made it.
func ExampleFromEnv() {
	environment := map[string]string{
		"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2",
		"MASTER_ADDR": "node-0", "MASTER_PORT": "29500",
	}
	launch, found, err := rendezvous.FromEnv(func(name string) string { return environment[name] })
	fmt.Println(found, err)
	fmt.Println(launch.Launcher, launch.Rank, "of", launch.Ranks, "meet at", launch.Store)
	// Output:
	// true <nil>
	// torchrun 3 of 8 meet at tcp://node-0:29500
}

// One process serves a store, and any process with the token reaches it.
func ExampleServe() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	token := []byte("a secret of this job")

	server, err := rendezvous.Serve(ctx, "127.0.0.1:0", rendezvous.ServerConfig{Token: token})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	store, err := rendezvous.Dial(ctx, server.Addr(), token)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	store.Put(ctx, "color", []byte("red"))
	stored, err := store.Put(ctx, "color", []byte("blue"))
	fmt.Printf("%s %v\n", stored, err)
	// Output: red <nil>
}
