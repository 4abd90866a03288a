// Package tcp is the transport over TCP sockets, IPv4 and IPv6: addresses,
// listening, dialing and socket options. What happens on an open connection is
// in package stream.
//
// Connections are opened by the net package (dial.go, listen.go). Before the
// first frame both ends prove that they hold the job's token and say which
// ranks they are; everything else is a stranger, is refused with a log line and
// costs no memory. What travels is not encrypted.
package tcp
