package auth

import (
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
)

// The server's verdict on the client's proof.
const (
	statusWelcome byte = 1
	statusRefused byte = 2
)

// Client runs the dialling end of the exchange on rw. Nothing may have been
// read or written before it, and on success both ends stand at the first byte
// of the protocol that purpose names (1 to 32 bytes, as in "ringo store v1").
// An empty token is a token like any other and keeps nobody out.
//
// It answers ErrToken, ErrStranger, *VersionError, or what rw answered. It sets
// no deadline: the caller does, on the connection.
func Client(rw io.ReadWriter, purpose string, token []byte) error {
	mine, err := newHello(purpose)
	if err != nil {
		return err
	}
	if err := mine.write(rw); err != nil {
		return fmt.Errorf("auth: sending hello: %w", err)
	}
	theirs, err := readHello(rw)
	if err != nil {
		return err
	}
	if theirs.purpose != mine.purpose {
		return &VersionError{Mine: mine.name(), Theirs: theirs.name()}
	}
	mac := proof(token, clientRole, mine, theirs)
	if _, err := rw.Write(mac[:]); err != nil {
		return fmt.Errorf("auth: sending proof: %w", err)
	}
	return readVerdict(rw, proof(token, serverRole, mine, theirs))
}

// readVerdict reads the server's status and proof, and compares it with want.
func readVerdict(r io.Reader, want [macSize]byte) error {
	var b [1 + macSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return fmt.Errorf("auth: waiting for the verdict: %w", err)
	}
	if b[0] != statusWelcome || !hmac.Equal(b[1:], want[:]) {
		return ErrToken
	}
	return nil
}

// Server runs the accepting end of the exchange on rw; see Client. It answers
// ErrStranger after at most five bytes that do not belong here. To a client of
// another version and to one with another token it says so before it returns.
func Server(rw io.ReadWriter, purpose string, token []byte) error {
	mine, err := newHello(purpose)
	if err != nil {
		return err
	}
	theirs, err := readHello(rw)
	if other := new(VersionError); errors.As(err, &other) {
		io.CopyN(io.Discard, rw, int64(helloSize-preambleSize)) // what is left unread would cost the client our answer
		mine.write(rw)                                          // best effort, like any refusal
	}
	if err != nil {
		return err
	}
	if err := mine.write(rw); err != nil {
		return fmt.Errorf("auth: sending hello: %w", err)
	}
	if theirs.purpose != mine.purpose {
		return &VersionError{Mine: mine.name(), Theirs: theirs.name()}
	}
	var mac [macSize]byte
	if _, err := io.ReadFull(rw, mac[:]); err != nil {
		return fmt.Errorf("auth: waiting for the proof: %w", err)
	}
	want := proof(token, clientRole, theirs, mine)
	if !hmac.Equal(mac[:], want[:]) {
		rw.Write(verdict(statusRefused, [macSize]byte{})) // best effort: the refusal stands either way
		return ErrToken
	}
	if _, err := rw.Write(verdict(statusWelcome, proof(token, serverRole, theirs, mine))); err != nil {
		return fmt.Errorf("auth: sending the verdict: %w", err)
	}
	return nil
}

// verdict lays out the server's last message.
func verdict(status byte, mac [macSize]byte) []byte {
	return append([]byte{status}, mac[:]...)
}
