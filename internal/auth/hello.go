package auth

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
)

const (
	magic             = "RNGO"
	version      byte = 1
	purposeSize       = 32
	preambleSize      = len(magic) + 1
	helloSize         = preambleSize + purposeSize + nonceSize
)

// hello is the first message each end sends.
type hello struct {
	purpose [purposeSize]byte // padded with zeros
	nonce   [nonceSize]byte
}

// newHello makes this end's hello with a fresh nonce.
func newHello(purpose string) (*hello, error) {
	if purpose == "" || len(purpose) > purposeSize {
		return nil, fmt.Errorf("auth: purpose %q: want 1 to %d bytes", purpose, purposeSize)
	}
	h := new(hello)
	copy(h.purpose[:], purpose)
	rand.Read(h.nonce[:])
	return h, nil
}

// write sends h.
func (h *hello) write(w io.Writer) error {
	var b [helloSize]byte
	n := copy(b[:], magic)
	b[n] = version
	n++
	n += copy(b[n:], h.purpose[:])
	copy(b[n:], h.nonce[:])
	_, err := w.Write(b[:])
	return err
}

// readHello reads the other end's hello. It looks at the first five bytes
// before it waits for more.
func readHello(r io.Reader) (*hello, error) {
	var b [helloSize]byte
	if n, err := io.ReadFull(r, b[:preambleSize]); err != nil {
		return nil, short(b[:n], err)
	}
	if string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it began with %q", ErrStranger, b[:preambleSize])
	}
	if v := b[len(magic)]; v != version {
		return nil, &VersionError{Mine: fmt.Sprint("handshake v", version), Theirs: fmt.Sprint("handshake v", v)}
	}
	if _, err := io.ReadFull(r, b[preambleSize:]); err != nil {
		return nil, fmt.Errorf("auth: reading the other side's hello: %w", err)
	}
	h := new(hello)
	n := preambleSize + copy(h.purpose[:], b[preambleSize:])
	copy(h.nonce[:], b[n:])
	return h, nil
}

// short explains a hello that ended within its first bytes: a stranger if they
// were the wrong ones, else what the connection says.
func short(got []byte, err error) error {
	if !bytes.HasPrefix([]byte(magic), got) {
		return fmt.Errorf("%w: it began with %q", ErrStranger, got)
	}
	return fmt.Errorf("auth: no hello from the other side: %w", err)
}

// name is the purpose without its padding.
func (h *hello) name() string {
	return string(bytes.TrimRight(h.purpose[:], "\x00"))
}
