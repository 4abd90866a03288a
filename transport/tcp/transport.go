package tcp

import (
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// authPurpose keeps a proof for this protocol from being one for another.
const authPurpose = "ringo tcp data v1"

// Transport is one rank's TCP connections.
type Transport struct {
	*stream.Transport
	cfg Config
}

var _ transport.Transport = (*Transport)(nil)

func open(cfg Config, id transport.Identity) (*Transport, error) {
	t, err := stream.Open(stream.Config{Name: Name, Purpose: authPurpose, Tune: tune}, id)
	if err != nil {
		return nil, err
	}
	return &Transport{t, cfg}, nil
}

// tune makes a connection notice a dead peer and send at once.
func tune(fd int, nc net.Conn, peerTimeout time.Duration) {
	tc := nc.(*net.TCPConn)
	probe := max(time.Second, (peerTimeout / 4).Truncate(time.Second)) // the kernel counts seconds
	tc.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: probe, Interval: probe, Count: 3})
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if withinHost(tc) {
		calm(fd)
	}
}

// withinHost says that the connection never leaves this machine.
func withinHost(tc *net.TCPConn) bool {
	here, ok1 := tc.LocalAddr().(*net.TCPAddr)
	there, ok2 := tc.RemoteAddr().(*net.TCPAddr)
	return ok1 && ok2 && here.IP.Equal(there.IP)
}
