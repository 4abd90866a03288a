package wire

import (
	"encoding/binary"
	"fmt"
)

// HelloSize is the length of an encoded Hello in bytes.
const HelloSize = 32

const helloMagic = 0x6c486e52 // "RnHl"

// Hello opens a data connection, after both ends proved that they hold the
// job's token. The dialer sends it and the acceptor answers with one byte.
type Hello struct {
	Job   uint64
	Ranks uint32 // world size
	From  uint32 // dialing rank
	To    uint32 // rank that is meant to accept
	Lane  uint32 // which of the connections from From to To
}

// Verdict is the acceptor's one-byte answer to a Hello.
type Verdict uint8

const (
	// Accepted: the connection is open.
	Accepted Verdict = iota + 1
	// WrongJob: the acceptor belongs to another job.
	WrongJob
	// WrongRank: the acceptor is not the rank that was meant, or the world size
	// differs.
	WrongRank
	// Taken: a connection from this rank on this lane exists already.
	Taken
)

func (v Verdict) String() string {
	switch v {
	case Accepted:
		return "accepted"
	case WrongJob:
		return "it belongs to another job"
	case WrongRank:
		return "another rank listens there"
	case Taken:
		return "it already has this connection"
	}
	return fmt.Sprintf("unknown answer %d", uint8(v))
}

// Put encodes h into b[:HelloSize].
func (h Hello) Put(b []byte) {
	_ = b[HelloSize-1]
	le := binary.LittleEndian
	le.PutUint32(b[0:], helloMagic)
	le.PutUint32(b[4:], Version)
	le.PutUint64(b[8:], h.Job)
	le.PutUint32(b[16:], h.Ranks)
	le.PutUint32(b[20:], h.From)
	le.PutUint32(b[24:], h.To)
	le.PutUint32(b[28:], h.Lane)
}

// ParseHello decodes b[:HelloSize].
func ParseHello(b []byte) (Hello, error) {
	_ = b[HelloSize-1]
	le := binary.LittleEndian
	if m := le.Uint32(b); m != helloMagic {
		return Hello{}, fmt.Errorf("%w: hello magic %#x", ErrMalformed, m)
	}
	if v := le.Uint32(b[4:]); v != Version {
		return Hello{}, fmt.Errorf("%w: hello of protocol version %d, this is version %d", ErrMalformed, v, Version)
	}
	h := Hello{Job: le.Uint64(b[8:]), Ranks: le.Uint32(b[16:]), From: le.Uint32(b[20:]), To: le.Uint32(b[24:]), Lane: le.Uint32(b[28:])}
	if h.From >= h.Ranks || h.To >= h.Ranks || h.From == h.To {
		return Hello{}, fmt.Errorf("%w: hello from rank %d to rank %d of %d", ErrMalformed, h.From, h.To, h.Ranks)
	}
	return h, nil
}

// Judge is the acceptor's verdict on h: whether it is for rank of ranks in job.
func (h Hello) Judge(job uint64, rank, ranks int) Verdict {
	switch {
	case h.Job != job:
		return WrongJob
	case int(h.To) != rank || int(h.Ranks) != ranks:
		return WrongRank
	}
	return Accepted
}
