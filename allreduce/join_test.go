package allreduce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// joinAll joins ranks whose configurations differ, runs a barrier where Join
// works, and returns the errors by rank.
func joinAll(t *testing.T, configs ...allreduce.Config) []error {
	t.Helper()
	meet := rendezvous.NewMemory()
	errs := make([]error, len(configs))
	var wg sync.WaitGroup
	for rank, c := range configs {
		wg.Go(func() {
			c.Rank, c.Ranks, c.Store, c.Log = rank, len(configs), meet.Client(), slog.New(slog.DiscardHandler)
			defer c.Store.Close()
			g, err := allreduce.Join(t.Context(), c)
			if err == nil {
				err = errors.Join(g.Barrier(t.Context()), g.Close())
			}
			errs[rank] = err
		})
	}
	wg.Wait()
	return errs
}

// TestTransportOrder: ranks that prefer different transports agree all the same.
func TestTransportOrder(t *testing.T) {
	leak.Check(t)
	n, s := inproc.NewNetwork(inproc.Config{}), tcp.New(tcp.Config{Listen: "127.0.0.1"})
	noErrors(t, joinAll(t, allreduce.Config{Drivers: []transport.Driver{s, n}}, allreduce.Config{Drivers: []transport.Driver{n, s}}))
}

func TestNoTransportInCommon(t *testing.T) {
	leak.Check(t)
	n, s := inproc.NewNetwork(inproc.Config{}), tcp.New(tcp.Config{Listen: "127.0.0.1"})
	for rank, err := range joinAll(t, allreduce.Config{Drivers: []transport.Driver{s}}, allreduce.Config{Drivers: []transport.Driver{n}}) {
		if !errors.Is(err, allreduce.ErrConfigMismatch) || !strings.Contains(err.Error(), "tcp: not on rank 1") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// walled is a driver whose Dial fails on one rank.
type walled struct {
	transport.Driver
	rank int
}

type walledTransport struct{ transport.Transport }

func (w walled) Open(ctx context.Context, id transport.Identity) (transport.Transport, error) {
	tr, err := w.Driver.Open(ctx, id)
	if err == nil && id.Rank == w.rank {
		tr = walledTransport{tr}
	}
	return tr, err
}

func (walledTransport) Dial(context.Context, string, transport.Peer) (transport.Conn, error) {
	return nil, errors.New("no route through the wall")
}

// TestJoinFailureReachesAll: all ranks learn why the Join of one failed, at once.
func TestJoinFailureReachesAll(t *testing.T) {
	leak.Check(t)
	c := allreduce.Config{Drivers: []transport.Driver{walled{tcp.New(tcp.Config{Listen: "127.0.0.1"}), 1}}, JoinTimeout: time.Hour}
	for rank, err := range joinAll(t, c, c, c, c, c) {
		if err == nil || !strings.Contains(err.Error(), "no route through the wall") || !strings.Contains(err.Error(), "rank 1 (") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestOrder: a ring order changes who talks to whom, not what is computed, and
// operators that do not commute still go by rank.
func TestOrder(t *testing.T) {
	leak.Check(t)
	shift := reduce.Func("shift", false, func(in, inout []int64) {
		for i := range inout {
			inout[i] += 10 * in[i]
		}
	})
	noErrors(t, world(t, 4, allreduce.Config{Order: []int{2, 0, 3, 1}}, func(ctx context.Context, g *allreduce.Group) error {
		x := []int64{int64(g.Rank()), 1, 1, 1, 1}
		if err := allreduce.AllReduce(ctx, g, x, reduce.Sum); err != nil {
			return err
		}
		if want := []int64{6, 4, 4, 4, 4}; !slices.Equal(x, want) {
			return fmt.Errorf("sum is %v, want %v", x, want)
		}
		y := []int64{int64(g.Rank() + 1)}
		if err := allreduce.AllReduce(ctx, g, y, shift); err != nil {
			return err
		}
		if y[0] != 1234 {
			return fmt.Errorf("the ranks were applied in the order %d", y[0])
		}
		all := make([]int64, 4)
		if err := allreduce.AllGather(ctx, g, all, []int64{int64(g.Rank())}); err != nil {
			return err
		}
		if want := []int64{0, 1, 2, 3}; !slices.Equal(all, want) {
			return fmt.Errorf("allgather gave %v", all)
		}
		return nil
	}))
}

// TestTokenFromEnvironment: ranks given by the program still take the token from
// where the launcher left it.
func TestTokenFromEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RINGO_TOKEN_FILE", file)
	errs := joinAll(t, allreduce.Config{}, allreduce.Config{Token: []byte("secret")})
	noErrors(t, errs)
	for rank, err := range joinAll(t, allreduce.Config{JoinTimeout: 2 * time.Second}, allreduce.Config{Token: []byte("other"), JoinTimeout: 2 * time.Second}) {
		if err == nil || !strings.Contains(err.Error(), "token") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestCloseLeavesNoWill: a rank that leaves in peace and exits without closing
// its store does not end the group of those who stay.
func TestCloseLeavesNoWill(t *testing.T) {
	leak.Check(t)
	meet := rendezvous.NewMemory()
	gone := make(chan struct{})
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for rank := range errs {
		wg.Go(func() {
			client := meet.Client()
			g, err := allreduce.Join(t.Context(), allreduce.Config{Rank: rank, Ranks: 2, Store: client, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				errs[rank] = err
				return
			}
			errs[rank] = g.Barrier(t.Context())
			if rank == 0 {
				g.Close()
				client.Drop() // as the end of its process
				close(gone)
				return
			}
			<-gone
			if keys, err := meet.List(t.Context(), "world/abort"); len(keys) > 0 {
				errs[rank] = fmt.Errorf("the group was aborted: %v, %v", keys, err)
			}
			g.Close()
			client.Close()
		})
	}
	wg.Wait()
	noErrors(t, errs)
}

// listContext cannot be compared with ==.
type listContext struct {
	context.Context
	_ []string
}

func TestAnyContext(t *testing.T) {
	leak.Check(t)
	noErrors(t, world(t, 2, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		for range 20 {
			if err := g.Barrier(listContext{Context: ctx}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestQueuedCallHonoursContext: a call that waits for its turn ends with its
// context, and the group with it.
func TestQueuedCallHonoursContext(t *testing.T) {
	leak.Check(t)
	over := make(chan struct{})
	errs := world(t, 2, allreduce.Config{}, func(ctx context.Context, g *allreduce.Group) error {
		if g.Rank() == 1 { // never joins in
			<-over
			return nil
		}
		defer close(over)
		x := []float32{1}
		if _, err := g.Start(ctx, allreduce.RequestOf(x, x, reduce.Sum)); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return g.Barrier(ctx)
	})
	if !errors.Is(errs[0], allreduce.ErrAborted) || !strings.Contains(errs[0].Error(), "context canceled") {
		t.Fatal(errs[0])
	}
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	for want, c := range map[string]allreduce.Config{
		"rank 3 of 3":             {Rank: 3, Ranks: 3},
		"rank -1 of 3":            {Rank: -1, Ranks: 3},
		"-2 ranks":                {Ranks: -2},
		"no Store to meet in":     {Ranks: 2},
		"100 connections":         {Ranks: 1, Conns: 100},
		"depth 33":                {Ranks: 1, Depth: 33},
		"sub-chunk of 1 bytes":    {Ranks: 1, SubChunk: 1},
		"of scratch memory":       {Ranks: 1, SubChunk: 1 << 30},
		`algorithm "tree"`:        {Ranks: 1, Algorithm: "tree"},
		"the order lists 2 ranks": {Ranks: 1, Order: []int{0, 1}},
	} {
		g, err := allreduce.Join(t.Context(), c)
		if err == nil {
			g.Close()
		}
		if !errors.Is(err, allreduce.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}
