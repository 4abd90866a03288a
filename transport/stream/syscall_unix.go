//go:build unix && !linux

package stream

import (
	"runtime"

	"golang.org/x/sys/unix"
)

type message struct{}

// write and read move the vector's first range only; the callers take partial
// results anyway.
func (v *vector) write(fd int) (int, error) { return retry(unix.Write, fd, v.at(0)) }

func (v *vector) read(fd int) (int, error) { return retry(unix.Read, fd, v.at(0)) }

// readPlain and WritePlain move one range.
func readPlain(fd int, b []byte) (int, error) { return retry(unix.Read, fd, b) }

// WritePlain writes some of b to a socket.
func WritePlain(fd int, b []byte) (int, error) { return retry(unix.Write, fd, b) }

func retry(call func(int, []byte) (int, error), fd int, b []byte) (int, error) {
	for {
		n, err := call(fd, b)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// Yield lets another goroutine run.
func Yield() { runtime.Gosched() }
