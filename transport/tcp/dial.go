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

// Dial tries the addresses that addr lists, best first.
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
			return c, t.add(c)
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, opError("dial", peer.Rank, fmt.Errorf("%s: %w", addr, errors.Join(failures...)))
}

// dialOne connects to one address. The handshake takes attemptTimeout at most;
// the verdict comes when the other rank calls Accept, which is bounded by ctx.
func (t *Transport) dialOne(ctx context.Context, addr string, peer transport.Peer) (*conn, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(attempt, "tcp", addr)
	if err != nil {
		return nil, err
	}
	deadline, _ := attempt.Deadline()
	nc.SetDeadline(deadline)
	interrupt := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	if err = t.introduce(nc, peer); err == nil {
		nc.SetDeadline(time.Time{})
		err = verdict(ctx, nc)
	}
	if !interrupt() {
		err = context.Cause(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("%s: %w", addr, err) // the dialer's own errors name it already
	}
	return newConn(t, nc, peer)
}

// introduce proves the token and says who this is.
func (t *Transport) introduce(nc net.Conn, peer transport.Peer) error {
	if err := auth.Client(nc, authPurpose, t.id.Token); err != nil {
		return err
	}
	var b [wire.HelloSize]byte
	wire.Hello{Job: t.id.Job, Ranks: uint32(t.id.Ranks), From: uint32(t.id.Rank), To: uint32(peer.Rank), Lane: uint32(peer.Lane)}.Put(b[:])
	_, err := nc.Write(b[:])
	return err
}

// verdict waits for the acceptor's answer.
func verdict(ctx context.Context, nc net.Conn) error {
	if err := ctx.Err(); err != nil { // it may have ended before the deadline was cleared
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
