package inproc_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/inproc"
)

func TestOpenTwice(t *testing.T) {
	ctx := context.Background()
	n := inproc.NewNetwork(inproc.Config{})
	id := transport.Identity{Rank: 1, Ranks: 2}
	tr, err := n.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Open(ctx, id); !errors.Is(err, transport.ErrInvalid) {
		t.Errorf("a rank was opened twice: %v", err)
	}
	tr.Close()
	if tr, err = n.Open(ctx, id); err != nil {
		t.Fatalf("open after close: %v", err)
	}
	tr.Close()
	if _, err := n.Open(ctx, transport.Identity{Rank: 2, Ranks: 2}); !errors.Is(err, transport.ErrInvalid) {
		t.Errorf("rank 2 of 2: %v", err)
	}
}

// TestOtherJob dials with an identity that differs from the listener's.
func TestOtherJob(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := inproc.NewNetwork(inproc.Config{})
	var log bytes.Buffer
	id := transport.Identity{Job: 7, Token: []byte("secret"), Rank: 0, Ranks: 4, Log: slog.New(slog.NewTextHandler(&log, nil))}
	listening, err := n.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Close()
	l, err := listening.Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error)
	go func() {
		_, err := l.Accept(ctx)
		accepted <- err
	}()
	for rank, stranger := range []transport.Identity{
		1: {Job: 8, Token: id.Token, Ranks: 4},
		2: {Job: 7, Token: []byte("guess!"), Ranks: 4},
		3: {Job: 7, Token: id.Token, Ranks: 5},
	} {
		if rank == 0 {
			continue
		}
		stranger.Rank = rank
		tr, err := n.Open(ctx, stranger)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		dialing, stop := context.WithTimeout(ctx, 5*time.Second)
		_, err = tr.Dial(dialing, l.Addr(), transport.Peer{Rank: 0})
		stop()
		if !errors.Is(err, transport.ErrProtocol) || !strings.Contains(err.Error(), l.Addr()) {
			t.Errorf("stranger %d: %v", rank, err)
		}
	}
	cancel()
	if err := <-accepted; !errors.Is(err, context.Canceled) {
		t.Errorf("Accept: %v", err)
	}
	if lines := strings.Count(log.String(), "refused"); lines != 3 {
		t.Errorf("the log has %d refusals, want 3:\n%s", lines, &log)
	}
}

// TestSameLaneTwice dials a lane that exists, and again after it ended.
func TestSameLaneTwice(t *testing.T) {
	ctx := context.Background()
	trs := open(t, inproc.Config{}, 2)
	defer trs[0].Close()
	defer trs[1].Close()
	l, err := trs[1].Listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	conns := make(chan transport.Conn, 4)
	go func() {
		defer close(conns)
		for {
			c, err := l.Accept(ctx)
			if err != nil {
				return
			}
			conns <- c
		}
	}()
	peer := transport.Peer{Rank: 1, Lane: 3}
	if _, err := trs[0].Dial(ctx, l.Addr(), peer); err != nil {
		t.Fatal(err)
	}
	if _, err := trs[0].Dial(ctx, l.Addr(), peer); !errors.Is(err, transport.ErrInvalid) {
		t.Errorf("the same lane again: %v", err)
	}
	(<-conns).Close()
	if _, err := trs[0].Dial(ctx, l.Addr(), peer); err != nil {
		t.Errorf("the same lane after it was closed: %v", err)
	}
	cancel()
	for range conns {
	}
}
