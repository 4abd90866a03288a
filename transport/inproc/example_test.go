package inproc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

// Two ranks of one process exchange a message.
func Example() {
	ctx := context.Background()
	network := inproc.NewNetwork(inproc.Config{})
	join := func(rank int) transport.Transport {
		tr, err := network.Open(ctx, transport.Identity{Rank: rank, Ranks: 2})
		if err != nil {
			log.Fatal(err)
		}
		return tr
	}
	a, b := join(0), join(1)
	defer a.Close()
	defer b.Close()

	listener, err := b.Listen(ctx)
	if err != nil {
		log.Fatal(err)
	}
	go func() { // rank 0
		conn, err := a.Dial(ctx, listener.Addr(), transport.Peer{Rank: 1})
		if err != nil {
			log.Fatal(err)
		}
		region, _ := a.Register(mem.Bytes([]byte("hello")))
		if err := conn.PostSend(transport.Request{Region: region, Len: 5, Tag: 42}); err != nil {
			log.Fatal(err)
		}
	}()

	conn, err := listener.Accept(ctx)
	if err != nil {
		log.Fatal(err)
	}
	buf := make([]byte, 16)
	region, _ := b.Register(mem.Bytes(buf))
	if err := conn.PostRecv(transport.Request{Region: region, Len: len(buf)}); err != nil {
		log.Fatal(err)
	}
	var done [1]transport.Completion
	for {
		n, err := b.Poll(done[:])
		if err != nil {
			log.Fatal(err)
		}
		if n == 1 {
			break
		}
		if err := b.Wait(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%s, tag %d, from rank %d\n", buf[:done[0].N], done[0].Tag, done[0].Peer.Rank)
	// Output: hello, tag 42, from rank 0
}
