//go:build unix && !linux

package tcp

// calm has nothing to do where congestion control cannot be chosen by socket.
func calm(fd int) {}
