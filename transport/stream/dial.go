package stream

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

// Connect makes nc, a new connection to peer's listener, one of the Transport's.
func (t *Transport) Connect(ctx context.Context, nc net.Conn, peer transport.Peer) (transport.Conn, error) {
	if err := t.Introduce(ctx, nc, peer); err != nil {
		return nil, err
	}
	c, err := newConn(t, nc, peer)
	if err != nil {
		return nil, err
	}
	return c, t.add(c)
}

// attemptTimeout bounds the handshake.
const attemptTimeout = 3 * time.Second

// Introduce proves the token, says who this is, and waits for the verdict, which
// comes when the other rank calls Accept and is bounded by ctx. It closes nc when
// it fails.
func (t *Transport) Introduce(ctx context.Context, nc net.Conn, peer transport.Peer) error {
	nc.SetDeadline(time.Now().Add(attemptTimeout))
	interrupt := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	err := t.introduce(nc, peer)
	if err == nil {
		nc.SetDeadline(time.Time{})
		err = verdict(ctx, nc)
	}
	if !interrupt() {
		err = context.Cause(ctx)
	}
	if err != nil {
		nc.Close()
	}
	return err
}

// introduce proves the token and says who this is.
func (t *Transport) introduce(nc net.Conn, peer transport.Peer) error {
	if err := auth.Client(nc, t.cfg.Purpose, t.id.Token); err != nil {
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
