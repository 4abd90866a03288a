package rendezvous

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// member is what a rank publishes about itself in Gather:
//
//	nonce(16) ranks(4) who length(2) who value
//
// in big-endian byte order. The nonce tells two processes apart that publish
// the same for the same rank.
type member struct {
	nonce [16]byte
	ranks int    // the world size as this rank knows it
	who   string // for people
	value []byte
}

const memberHeader = 16 + 4 + 2

// newMember makes a member with a fresh nonce. A who of more than 200 bytes is
// cut.
func newMember(ranks int, who string, value []byte) member {
	m := member{ranks: ranks, who: who[:min(len(who), 200)], value: value}
	rand.Read(m.nonce[:])
	return m
}

func (m member) encode() []byte {
	b := append([]byte{}, m.nonce[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(m.ranks))
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.who)))
	b = append(b, m.who...)
	return append(b, m.value...)
}

var errMember = errors.New("not what a rank publishes")

func decodeMember(b []byte) (member, error) {
	if len(b) < memberHeader {
		return member{}, fmt.Errorf("%w: %d bytes, at least %d", errMember, len(b), memberHeader)
	}
	m := member{nonce: [16]byte(b), ranks: int(binary.BigEndian.Uint32(b[16:]))}
	who := int(binary.BigEndian.Uint16(b[20:]))
	if b = b[memberHeader:]; who > len(b) {
		return member{}, fmt.Errorf("%w: a name of %d bytes in %d", errMember, who, len(b))
	}
	m.who, m.value = string(b[:who]), b[who:]
	return m, nil
}
