//go:build !linux

package rendezvous

import (
	"net"
	"time"
)

// setUserTimeout does nothing here; keep-alive probes notice a dead peer.
func setUserTimeout(*net.TCPConn, time.Duration) {}
