package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
)

// Dial tries again after 10 ms, then less and less often; no single try takes
// longer than dialTimeout.
const (
	firstRetry  = 10 * time.Millisecond
	lastRetry   = 500 * time.Millisecond
	dialTimeout = 5 * time.Second
)

// Dial connects to the Server at addr ("host:port", a name or an address of IPv4
// or IPv6). It tries again while nobody answers there, because ranks start in
// any order, until ctx ends; the error then says for how long and what the last
// try met. What trying again cannot mend comes back at once: auth.ErrToken,
// auth.ErrStranger, *auth.VersionError, or an addr that is none.
//
// A server that dies is noticed at once, its machine within about 10 s; calls
// then get ErrLost.
func Dial(ctx context.Context, addr string, token []byte) (Store, error) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, fmt.Errorf("rendezvous: dial the store at %q: %w", addr, err)
	}
	start := time.Now()
	var last error
	for tries, pause := 1, firstRetry; ; tries, pause = tries+1, min(2*pause, lastRetry) {
		conn, err := dialOnce(ctx, addr, token)
		if err == nil {
			return newClient(conn, addr), nil
		}
		if isFinal(err) {
			return nil, fmt.Errorf("rendezvous: dial the store at %s: %w", addr, err)
		}
		if last == nil || !isOver(ctx) {
			last = err // what a try meets when ctx ends says nothing about the store
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, fmt.Errorf("rendezvous: no store at %s for %v (tried %d times; the last met: %v): %w",
				addr, time.Since(start).Round(time.Millisecond), tries, last, ctx.Err())
		}
	}
}

// dialOnce makes one connection and leads it through the handshake.
func dialOnce(ctx context.Context, addr string, token []byte) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	watchPeer(conn)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err = auth.Client(conn, purpose, token)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// isOver says that ctx has ended, or does so this instant: a connection may
// notice the deadline before ctx does.
func isOver(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// isFinal says that another try would meet the same.
func isFinal(err error) bool {
	var version *auth.VersionError
	return errors.Is(err, auth.ErrToken) || errors.Is(err, auth.ErrStranger) || errors.As(err, &version)
}
