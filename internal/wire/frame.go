package wire

import (
	"encoding/binary"
	"fmt"
)

// FrameKind says what a frame is for.
type FrameKind uint8

const (
	// Data carries a message's payload.
	Data FrameKind = 1
	// Bye announces that the sender closes the connection on purpose.
	Bye FrameKind = 2
	// Truncated tells a sender that its message was longer than the receive.
	Truncated FrameKind = 3
)

const (
	// FrameSize is the length of an encoded Frame in bytes.
	FrameSize = 32
	// MaxPayload caps the payload of one frame in bytes.
	MaxPayload = 1 << 30

	frameMagic = 0x6f676e52 // "Rngo"
)

// Frame is the header before each payload.
type Frame struct {
	Kind FrameKind
	Job  uint64 // names the job; a frame of another job is refused
	Seq  uint32 // operation sequence, as the sender gave it
	Tag  uint32 // place in the operation, as the sender gave it
	Len  int    // payload bytes that follow, at most MaxPayload
}

// Put encodes f into b[:FrameSize].
func (f Frame) Put(b []byte) {
	_ = b[FrameSize-1]
	le := binary.LittleEndian
	le.PutUint32(b[0:], frameMagic)
	le.PutUint32(b[4:], Version|uint32(f.Kind)<<8)
	le.PutUint64(b[8:], f.Job)
	le.PutUint32(b[16:], f.Seq)
	le.PutUint32(b[20:], f.Tag)
	le.PutUint32(b[24:], uint32(f.Len))
	le.PutUint32(b[28:], 0)
}

// ParseFrame decodes b[:FrameSize] and refuses what does not belong to job.
func ParseFrame(b []byte, job uint64) (Frame, error) {
	_ = b[FrameSize-1]
	le := binary.LittleEndian
	if m := le.Uint32(b); m != frameMagic {
		return Frame{}, fmt.Errorf("%w: frame magic %#x, want %#x", ErrMalformed, m, uint32(frameMagic))
	}
	if b[4] != Version {
		return Frame{}, fmt.Errorf("%w: frame of protocol version %d, this is version %d", ErrMalformed, b[4], Version)
	}
	f := Frame{Kind: FrameKind(b[5]), Job: le.Uint64(b[8:]), Seq: le.Uint32(b[16:]), Tag: le.Uint32(b[20:])}
	n := le.Uint32(b[24:])
	switch {
	case f.Kind < Data || f.Kind > Truncated:
		return Frame{}, fmt.Errorf("%w: unknown frame kind %d", ErrMalformed, f.Kind)
	case b[6] != 0 || b[7] != 0 || le.Uint32(b[28:]) != 0:
		return Frame{}, fmt.Errorf("%w: reserved bytes of a frame are not zero", ErrMalformed)
	case f.Job != job:
		return Frame{}, fmt.Errorf("%w: frame of job %#x, this is job %#x", ErrMalformed, f.Job, job)
	case n > MaxPayload:
		return Frame{}, fmt.Errorf("%w: frame of %d bytes, the most is %d", ErrMalformed, n, MaxPayload)
	case f.Kind != Data && n != 0:
		return Frame{}, fmt.Errorf("%w: frame kind %d with a payload", ErrMalformed, f.Kind)
	}
	f.Len = int(n)
	return f, nil
}
