package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	// FingerprintSize is the length of an encoded Fingerprint in bytes.
	FingerprintSize = 64
	// MaxOpName is the longest operator name in bytes; longer ones are cut.
	MaxOpName = 24

	fingerprintMagic = 0x70466e52 // "RnFp"
)

// Fingerprint says what a rank believes it is doing. It is the first message of
// every collective on every connection, also when there are no elements, so
// that ranks which call different things find out before a byte is reduced.
type Fingerprint struct {
	Seq        uint64 // operation number within the group, from 1
	Count      uint64 // elements, as the collective counts them
	Plan       uint64 // hash of the plan's text form
	Collective uint8
	Type       uint8
	Op         [MaxOpName]byte // operator name, zero padded
}

// OpName puts a name into the fixed field, cut to MaxOpName bytes.
func OpName(s string) (b [MaxOpName]byte) {
	copy(b[:], s)
	return b
}

// OpString is the operator's name.
func (f Fingerprint) OpString() string {
	name, _, _ := bytes.Cut(f.Op[:], []byte{0})
	return strings.ToValidUTF8(string(name), "?")
}

// Put encodes f into b[:FingerprintSize].
func (f Fingerprint) Put(b []byte) {
	_ = b[FingerprintSize-1]
	le := binary.LittleEndian
	le.PutUint32(b[0:], fingerprintMagic)
	b[4], b[5], b[6], b[7] = Version, f.Collective, f.Type, 0
	le.PutUint64(b[8:], f.Seq)
	le.PutUint64(b[16:], f.Count)
	le.PutUint64(b[24:], f.Plan)
	copy(b[32:], f.Op[:])
	clear(b[32+MaxOpName : FingerprintSize])
}

// SetSeq changes the operation number of an encoded fingerprint.
func SetSeq(b []byte, seq uint64) { binary.LittleEndian.PutUint64(b[8:], seq) }

// ParseFingerprint decodes b[:FingerprintSize].
func ParseFingerprint(b []byte) (Fingerprint, error) {
	_ = b[FingerprintSize-1]
	le := binary.LittleEndian
	if m := le.Uint32(b); m != fingerprintMagic {
		return Fingerprint{}, fmt.Errorf("%w: fingerprint magic %#x", ErrMalformed, m)
	}
	if b[4] != Version {
		return Fingerprint{}, fmt.Errorf("%w: fingerprint of protocol version %d, this is version %d", ErrMalformed, b[4], Version)
	}
	f := Fingerprint{Collective: b[5], Type: b[6], Seq: le.Uint64(b[8:]), Count: le.Uint64(b[16:]), Plan: le.Uint64(b[24:])}
	copy(f.Op[:], b[32:])
	return f, nil
}
