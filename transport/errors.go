package transport

import (
	"errors"
	"fmt"
)

// The sentinels that every transport's errors wrap. Test with errors.Is.
var (
	// ErrNotSupported says that the machine or the build lacks what was asked
	// for; the error around it says what.
	ErrNotSupported = errors.New("not supported")
	// ErrQueueFull says that a Conn holds QueueDepth requests already.
	ErrQueueFull = errors.New("queue full")
	// ErrTruncated says that a send was longer than its receive.
	ErrTruncated = errors.New("message longer than its receive")
	// ErrPeerLost says that the peer died or cannot be reached.
	ErrPeerLost = errors.New("peer lost")
	// ErrPeerClosed says that the peer closed the connection on purpose.
	ErrPeerClosed = errors.New("peer closed the connection")
	// ErrClosed says that this end was closed.
	ErrClosed = errors.New("closed")
	// ErrRegionInUse says that a region has outstanding requests.
	ErrRegionInUse = errors.New("memory region has outstanding requests")
	// ErrProtocol says that the peer sent something that the wire format forbids.
	ErrProtocol = errors.New("protocol violation")
	// ErrInvalid says that a request makes no sense, such as a range outside its
	// region.
	ErrInvalid = errors.New("invalid request")
)

// OpError says where a transport failed: which transport, doing what, with
// which rank, and why.
type OpError struct {
	Transport string // the driver's name
	Op        string // "dial", "send", "recv", …
	Peer      int    // the other rank, or -1
	Err       error  // the cause; wraps one of the sentinels
}

func (e *OpError) Error() string {
	if e.Peer < 0 {
		return fmt.Sprintf("%s: %s: %v", e.Transport, e.Op, e.Err)
	}
	return fmt.Sprintf("%s: %s rank %d: %v", e.Transport, e.Op, e.Peer, e.Err)
}

func (e *OpError) Unwrap() error { return e.Err }
