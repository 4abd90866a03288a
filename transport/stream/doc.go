// Package stream turns byte-stream sockets into the connections of a transport:
// framing, queues, polling and sleeping. It is the common part of the transports
// over TCP and over unix sockets, which add how to listen, to dial and to tune a
// socket.
//
// The way of one message: PostSend writes a 32-byte header and queues it with
// the payload (conn.go). Poll gathers what is queued into one sendmsg (send.go)
// and reads each arriving payload straight into the memory of the receive that
// is first in line (recv.go); nothing is copied in between. Sockets never
// block: Wait looks for a bounded time, then sleeps in poll(2) (wait.go).
package stream
