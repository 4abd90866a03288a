package rendezvous

import (
	"net"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall lacks.
const tcpUserTimeout = 18

// setUserTimeout bounds how long sent bytes may stay unacknowledged.
func setUserTimeout(conn *net.TCPConn, limit time.Duration) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return // closed meanwhile, which the next read tells
	}
	raw.Control(func(fd uintptr) {
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
	})
}
