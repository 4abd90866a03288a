//go:build !linux

package shm

import (
	"fmt"
	"runtime"

	"github.com/ringo-ccl/ringo/transport"
)

func open(cfg Config, id transport.Identity) (transport.Transport, error) {
	return nil, &transport.OpError{Transport: Name, Op: "open", Peer: -1,
		Err: fmt.Errorf("%w on %s: it needs Linux", transport.ErrNotSupported, runtime.GOOS)}
}
