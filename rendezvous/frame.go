package rendezvous

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// purpose names the protocol of the TCP store and its version in the handshake.
// It changes with every change to the frames.
const purpose = "ringo store v1"

// op says what a frame asks or answers.
type op byte

const (
	opPut    op = 1 + iota // ask: key, value; answer opOK with what is stored
	opGet                  // ask: key; answer opOK with the value once it is there
	opCancel               // the opGet of this id needs no answer any more
	opList                 // ask: key is the prefix; answer opOK with packed keys
	opWill                 // ask: key, value; answer opOK
	opBye                  // the client closes on purpose
	opOK                   // answer to the ask of this id
	opFail                 // the ask of this id was too large; value says why
	opClosed               // the server closes on purpose
	opDrop                 // the server drops this client; value says why
	opEnd
)

// frame is one message in either direction:
//
//	id(4) op(1) 0(1) key length(2) value length(4) key value
//
// in big-endian byte order. Lengths are checked before anything is allocated, and
// memory for key and value grows as they come.
type frame struct {
	id    uint32
	op    op
	key   string
	value []byte
}

const headerSize = 12

// errFrame says that bytes are no frame.
var errFrame = errors.New("malformed frame")

// appendFrame appends f, which obeys the limits, to b.
func appendFrame(b []byte, f frame) []byte {
	b = binary.BigEndian.AppendUint32(b, f.id)
	b = append(b, byte(f.op), 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(f.key)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.value)))
	b = append(b, f.key...)
	return append(b, f.value...)
}

// header is a frame without its key and value: their lengths, which are within
// the limits.
type header struct {
	id         uint32
	op         op
	key, value int
}

// firstRead is how much memory a body gets before any of it has come.
const firstRead = 4 << 10

// readFrame reads one frame. It answers io.EOF only between frames.
func readFrame(r io.Reader) (frame, error) {
	h, err := readHeader(r)
	if err != nil {
		return frame{}, err
	}
	return h.readBody(r)
}

// readHeader reads and checks the beginning of a frame.
func readHeader(r io.Reader) (header, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return header{}, err
	}
	key, value := binary.BigEndian.Uint16(b[6:]), binary.BigEndian.Uint32(b[8:])
	switch {
	case b[4] == 0 || op(b[4]) >= opEnd:
		return header{}, fmt.Errorf("%w: unknown op %d", errFrame, b[4])
	case b[5] != 0:
		return header{}, fmt.Errorf("%w: reserved byte is %d", errFrame, b[5])
	case key > MaxKey:
		return header{}, fmt.Errorf("%w: key of %d bytes, at most %d", errFrame, key, MaxKey)
	case value > MaxValue:
		return header{}, fmt.Errorf("%w: value of %d bytes, at most %d", errFrame, value, MaxValue)
	}
	return header{id: binary.BigEndian.Uint32(b[0:]), op: op(b[4]), key: int(key), value: int(value)}, nil
}

// readBody reads the rest of the frame that h begins. It takes memory as the
// bytes come, so that announcing many costs the other end as much as this one.
func (h header) readBody(r io.Reader) (frame, error) {
	size := h.key + h.value
	body := make([]byte, min(size, firstRead))
	for have := 0; ; {
		if _, err := io.ReadFull(r, body[have:]); err != nil {
			return frame{}, fmt.Errorf("frame cut short: %w", err)
		}
		if len(body) == size {
			break
		}
		have = len(body)
		more := make([]byte, min(size, 2*have))
		copy(more, body)
		body = more
	}
	return frame{id: h.id, op: h.op, key: string(body[:h.key]), value: body[h.key:]}, nil
}

// packKeys lays out keys as the value of an opList's answer: length(2) key, and
// so on. It answers ErrTooLarge when they do not fit into a value.
func packKeys(keys []string) ([]byte, error) {
	var b []byte
	for _, key := range keys {
		b = binary.BigEndian.AppendUint16(b, uint16(len(key)))
		b = append(b, key...)
	}
	if len(b) > MaxValue {
		return nil, fmt.Errorf("%w: a list of %d keys takes %d bytes, at most %d; use a longer prefix", ErrTooLarge, len(keys), len(b), MaxValue)
	}
	return b, nil
}

// unpackKeys is the inverse of packKeys.
func unpackKeys(b []byte) ([]string, error) {
	keys := []string{}
	for len(b) > 0 {
		if len(b) < 2 {
			return nil, fmt.Errorf("%w: key list cut short", errFrame)
		}
		n := int(binary.BigEndian.Uint16(b))
		b = b[2:]
		if n == 0 || n > MaxKey || n > len(b) {
			return nil, fmt.Errorf("%w: key of %d bytes in a list with %d left", errFrame, n, len(b))
		}
		keys = append(keys, string(b[:n]))
		b = b[n:]
	}
	return keys, nil
}
