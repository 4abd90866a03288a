package tcp

import "golang.org/x/sys/unix"

// calm sets the congestion control of a connection within a host to reno, which
// every kernel has. Algorithms that pace by measured bandwidth, such as bbr, take
// a rank that was scheduled late for a slow link and stay slow long afterwards
// (docs/PERFORMANCE.md has the figures); nothing can be congested here. Failing
// leaves the system's default.
func calm(fd int) { unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno") }
