package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

const (
	nonceSize = 16
	macSize   = sha256.Size
)

// NewToken makes a job token: 32 random bytes as 64 hexadecimal digits.
func NewToken() string {
	var raw [32]byte
	rand.Read(raw[:]) // never fails, by its documentation
	return hex.EncodeToString(raw[:])
}

// A role keeps one end's proof from being sent back to it as the other's.
type role byte

const (
	clientRole role = 'C'
	serverRole role = 'S'
)

// proof is the MAC by which one end of an exchange shows that it holds token.
// All parts have fixed sizes, so no two exchanges hash the same bytes.
func proof(token []byte, who role, client, server *hello) [macSize]byte {
	mac := hmac.New(sha256.New, token)
	mac.Write([]byte{byte(who), version})
	mac.Write(client.purpose[:])
	mac.Write(client.nonce[:])
	mac.Write(server.nonce[:])
	return [macSize]byte(mac.Sum(nil))
}
