package rendezvous

import (
	"net"
	"time"
)

// Both ends notice a peer whose machine or network died within about
// silenceLimit: probes after 3 s of silence and every 2 s from then on, three
// times, and no longer than that for bytes that nobody acknowledges. A peer
// whose process died is noticed at once, because its kernel says so.
const silenceLimit = 10 * time.Second

var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: 2 * time.Second, Count: 3}

// goodbyeTime is how long a closing end waits for the other to take note.
const goodbyeTime = time.Second

// watchPeer turns on what notices a dead peer, on connections that have it.
func watchPeer(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetKeepAliveConfig(keepAlive) // without it, only a later notice
		setUserTimeout(tcp, silenceLimit)
	}
}

// hangUp ends this direction of conn, so that the other end can read to the
// last byte, and bounds how long that may take.
func hangUp(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
		conn.SetReadDeadline(time.Now().Add(goodbyeTime))
		return
	}
	conn.Close()
}
