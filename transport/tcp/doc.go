// Package tcp is the transport over TCP sockets, IPv4 and IPv6.
//
// The way of one message: PostSend writes a 32-byte header and queues it with
// the payload (conn.go). Poll gathers what is queued into one sendmsg (send.go)
// and reads each arriving payload straight into the memory of the receive that
// is first in line (recv.go); nothing is copied in between. Sockets never
// block: Wait looks for a bounded time, then sleeps in poll(2) (wait.go).
//
// Connections are opened by the net package (dial.go, listener.go). Before the
// first frame both ends prove that they hold the job's token and say which
// ranks they are; everything else is a stranger, is refused with a log line and
// costs no memory. What travels is not encrypted.
package tcp
