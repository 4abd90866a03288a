package transporttest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

// broken breaks the contract in one way, named by the subtest that must notice.
type broken struct {
	transport.Transport
	how   string
	waste []*int
	again *transport.Completion // to be completed once more
}

func (b *broken) Unwrap() transport.Transport { return b.Transport }

func (b *broken) Caps() transport.Caps {
	c := b.Transport.Caps()
	if b.how == "QueueFull" {
		c.QueueDepth++
	}
	return c
}

func (b *broken) Poll(done []transport.Completion) (int, error) {
	if b.how == "PollNeverBlocks" {
		time.Sleep(50 * time.Millisecond)
	}
	if b.how == "SteadyStateAllocs" {
		b.waste = append(b.waste[:0:0], new(int))
	}
	if b.again != nil && len(done) > 0 {
		done[0], b.again = *b.again, nil
		return 1, nil
	}
	n, err := b.Transport.Poll(done)
	for i := range done[:n] {
		b.spoil(&done[i])
	}
	return n, err
}

func (b *broken) spoil(c *transport.Completion) {
	switch {
	case b.how == "TagEcho":
		c.Tag &= 1<<31 - 1
	case b.how == "ShorterSend":
		c.N++
	case b.how == "CloseUnblocks" && c.Err != nil:
		again := *c
		b.again = &again
	case b.how == "CloseDelivers" && c.N == 10000:
		c.Err = errors.New("the end")
	case b.how == "PeerDeath" && c.Err != nil, b.how == "Truncated" && c.Err != nil:
		c.Err = &transport.OpError{Err: transport.ErrProtocol}
	case b.how == "ZeroLength":
		c.Seq = 0
	}
}

func (b *broken) Wait(ctx context.Context) error {
	if b.how == "WaitSleeps" {
		return ctx.Err()
	}
	err := b.Transport.Wait(ctx)
	if b.how == "WaitCancel" && err != nil {
		return errors.New("something else")
	}
	return err
}

func (b *broken) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	c, err := b.Transport.Dial(ctx, addr, peer)
	if err != nil {
		if b.how == "DialRefused" {
			err = &transport.OpError{Peer: peer.Rank, Err: transport.ErrPeerLost}
		}
		return nil, err
	}
	return &brokenConn{Conn: c, b: b}, nil
}

type brokenConn struct {
	transport.Conn
	b     *broken
	stash *transport.Request
}

func (c *brokenConn) Peer() transport.Peer {
	p := c.Conn.Peer()
	if c.b.how == "Lanes" {
		p.Lane = 0
	}
	return p
}

func (c *brokenConn) PostSend(q transport.Request) error {
	switch c.b.how {
	case "Order": // swap neighbours
		if c.stash == nil {
			c.stash = &q
			return nil
		}
		first := *c.stash
		c.stash = nil
		return errors.Join(c.Conn.PostSend(q), c.Conn.PostSend(first))
	case "SubRange":
		q.Off = 0
	case "MaxMessage":
		q.Len = min(q.Len, 1<<20)
	case "InvalidRange":
		if err := c.Conn.PostSend(q); !errors.Is(err, transport.ErrInvalid) {
			return err
		}
		return nil
	}
	return c.Conn.PostSend(q)
}

const breakEnv = "RINGO_TEST_BREAK"

// TestBrokenTransport is run by TestSuiteNotices.
func TestBrokenTransport(t *testing.T) {
	how := os.Getenv(breakEnv)
	if how == "" {
		t.Skip(breakEnv + " is not set")
	}
	transporttest.Run(t, over(func(tr transport.Transport) transport.Transport {
		return &broken{Transport: tr, how: how}
	}))
}

// TestSuiteNotices breaks a transport in each of several ways, in a process of
// its own, and sees the subtest for it fail.
func TestSuiteNotices(t *testing.T) {
	for _, how := range []string{
		"Order", "TagEcho", "ZeroLength", "MaxMessage", "SubRange", "ShorterSend", "Truncated",
		"QueueFull", "InvalidRange", "PollNeverBlocks", "WaitSleeps", "WaitCancel",
		"CloseUnblocks", "CloseDelivers", "PeerDeath", "Lanes", "DialRefused", "SteadyStateAllocs",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenTransport$/^"+how+"$", "-test.v")
			cmd.Env = append(os.Environ(), breakEnv+"="+how)
			out, err := cmd.CombinedOutput()
			if how == "SteadyStateAllocs" && strings.Contains(string(out), "race detector") {
				t.Skip("the race detector allocates")
			}
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestBrokenTransport/"+how) {
				t.Errorf("the suite did not notice: %v\n%s", err, out)
			}
		})
	}
}
