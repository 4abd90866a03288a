package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// attemptTimeout bounds one address, so that a black hole does not hide the
// addresses after it.
const attemptTimeout = 3 * time.Second

// Dial tries the addresses that addr lists, best first.
func (t *Transport) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	ep, err := parseEndpoint(addr)
	if err != nil {
		return nil, t.OpError("dial", peer.Rank, fmt.Errorf("%w: %w", transport.ErrInvalid, err))
	}
	candidates := ep.dialable(stream.HostID())
	if len(candidates) == 0 {
		return nil, t.OpError("dial", peer.Rank, fmt.Errorf(
			"%w: it listens on loopback only (%s) and is another host than this; give it a listen or advertise address that this host can reach", transport.ErrPeerLost, addr))
	}
	var failures []error
	for _, a := range candidates {
		c, err := t.dialOne(ctx, a, peer)
		if err == nil {
			return c, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, t.OpError("dial", peer.Rank, fmt.Errorf("%s: %w", addr, errors.Join(failures...)))
}

// dialOne connects to one address. The handshake takes attemptTimeout at most.
func (t *Transport) dialOne(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(attempt, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c, err := t.Connect(ctx, nc, peer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err) // the dialer's own errors name it already
	}
	return c, nil
}
