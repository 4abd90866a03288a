package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/ringo-ccl/ringo/transport"
)

// Listen takes the rank's one port.
func (t *Transport) Listen(ctx context.Context) (transport.Listener, error) {
	nl, err := listenInRange(ctx, t.cfg)
	if err != nil {
		return nil, t.OpError("listen", -1, err)
	}
	ep, err := advertised(t.cfg, nl.Addr().(*net.TCPAddr).Port)
	if err != nil {
		nl.Close()
		return nil, t.OpError("listen", -1, err)
	}
	return t.Serve(nl, ep.String())
}

// listenInRange takes the first free port of the range, in order.
func listenInRange(ctx context.Context, cfg Config) (net.Listener, error) {
	var lc net.ListenConfig
	lo, hi := cfg.Ports.Min, cfg.Ports.Max
	for port := lo; ; port++ {
		l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(cfg.Listen, fmt.Sprint(port)))
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("listen address %q: %w", cfg.Listen, err)
		}
		if port >= hi {
			return nil, fmt.Errorf("every port of %v is taken (%w); widen the port range or leave it out", cfg.Ports, err)
		}
	}
}
