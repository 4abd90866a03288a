// Package defaults lists the transports that a program gets when it names none,
// so that the ten-line program needs no wiring. It is the only library package
// that names a driver.
package defaults

import (
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/shm"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// Drivers returns the default drivers, best first.
func Drivers() []transport.Driver {
	return []transport.Driver{shm.New(shm.Config{}), tcp.New(tcp.Config{})}
}
