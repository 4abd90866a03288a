// Package wire is the byte layout of what ranks send each other: the frame
// header of the TCP transport, the hello that opens each of its connections,
// and the fingerprint that opens every collective. It does no I/O. Everything
// is little-endian, of fixed size, and checked before it is believed; docs/WIRE.md
// draws it.
package wire

import "errors"

// Version is the protocol version. Ranks of different versions refuse each
// other: there is no negotiation.
const Version = 1

// ErrMalformed is wrapped by every error about bytes that break the format.
var ErrMalformed = errors.New("malformed message")
