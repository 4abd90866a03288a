package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

// attemptTimeout bounds one address, so that a black hole does not hide the
// addresses after it.
const attemptTimeout = 3 * time.Second

func (t *Transport) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	ep, err := parseEndpoint(addr)
	if err != nil {
		return nil, opError("dial", peer.Rank, fmt.Errorf("%w: %w", transport.ErrInvalid, err))
	}
	candidates := ep.dialable(hostID())
	if len(candidates) == 0 {
		return nil, opError("dial", peer.Rank, fmt.Errorf(
			"%w: it listens on loopback only (%s) and is another host than this; give it a listen or advertise address that this host can reach", transport.ErrPeerLost, addr))
	}
	var failures []error
	for _, a := range candidates {
		c, err := t.dialOne(ctx, a, peer)
		if err == nil {
			t.add(c)
			return c, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", a, err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, opError("dial", peer.Rank, errors.Join(failures...))
}

func (t *Transport) dialOne(ctx context.Context, addr string, peer transport.Peer) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	unblock := context.AfterFunc(ctx, func() { nc.Close() })
	err = t.introduce(nc, peer)
	if !unblock() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return newConn(t, nc, peer)
}

// introduce proves the token, says who this is and waits for the verdict.
func (t *Transport) introduce(nc net.Conn, peer transport.Peer) error {
	if err := auth.Client(nc, authPurpose, t.id.Token); err != nil {
		return err
	}
	var b [wire.HelloSize]byte
	wire.Hello{Job: t.id.Job, Ranks: uint32(t.id.Ranks), From: uint32(t.id.Rank), To: uint32(peer.Rank), Lane: uint32(peer.Lane)}.Put(b[:])
	if _, err := nc.Write(b[:]); err != nil {
		return err
	}
	var answer [1]byte
	if err := readFull(nc, answer[:]); err != nil {
		return err
	}
	if v := wire.Verdict(answer[0]); v != wire.Accepted {
		return fmt.Errorf("refused: %v", v)
	}
	return nil
}

func readFull(nc net.Conn, b []byte) error {
	if _, err := io.ReadFull(nc, b); err != nil {
		return fmt.Errorf("connection ended during the handshake: %w", err)
	}
	return nil
}
