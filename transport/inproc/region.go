package inproc

import (
	"sync/atomic"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// region is registered memory. Registering costs nothing here: the region only
// counts its outstanding requests.
type region struct {
	t       *Transport
	m       mem.Memory
	segment uint64       // its number among the rank's regions
	users   atomic.Int64 // the peer's goroutine may be the one that completes
	closed  bool         // the owner's
}

// Memory returns what was registered.
func (r *region) Memory() mem.Memory { return r.m }

// Close ends the registration.
func (r *region) Close() error {
	if r.users.Load() > 0 {
		return opError("close region", -1, transport.ErrRegionInUse)
	}
	if !r.closed {
		r.t.net.commons.withdraw(r)
	}
	r.closed = true
	return nil
}

// slice checks a request on a connection of t to peer and returns its bytes.
func slice(t *Transport, op string, peer int, q transport.Request) ([]byte, *region, error) {
	if q.Off < 0 || q.Len < 0 || q.Len > maxMessage {
		return nil, nil, invalid(op, peer, "range of %d bytes at %d", q.Len, q.Off)
	}
	if q.Region == nil {
		if q.Len > 0 {
			return nil, nil, invalid(op, peer, "%d bytes without a region", q.Len)
		}
		return nil, nil, nil
	}
	r, ok := q.Region.(*region)
	if !ok || r.t != t {
		return nil, nil, invalid(op, peer, "region of another transport")
	}
	if r.closed {
		return nil, nil, invalid(op, peer, "region is closed")
	}
	if n := r.m.Len(); q.Off > n || q.Len > n-q.Off {
		return nil, nil, invalid(op, peer, "range of %d bytes at %d in a region of %d", q.Len, q.Off, n)
	}
	return r.m.Bytes()[q.Off : q.Off+q.Len : q.Off+q.Len], r, nil
}
