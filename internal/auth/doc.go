// Package auth lets two ends of a new connection prove to each other that they
// hold the same job token, before either reads anything else.
//
// The token never travels. Each end sends a fresh nonce and an HMAC-SHA256
// over its role, the protocol's purpose and both nonces:
//
//	client → server  magic(4) version(1) purpose(32) nonce(16)
//	server → client  magic(4) version(1) purpose(32) nonce(16)
//	client → server  mac(32)
//	server → client  status(1) mac(32)
//
// Every message has a fixed size, so a stranger can make the server allocate
// nothing, and the first five bytes already tell a stranger from a rank. The
// server answers even when it refuses, so a wrong token looks different from a
// dead server.
//
// The exchange authenticates the moment of connecting. It neither encrypts nor
// signs what follows.
package auth
