package shm

import (
	"context"

	"github.com/ringo-ccl/ringo/transport"
)

// Name is the driver's name.
const Name = "shm"

// Config says where shared memory comes from. The zero value works.
type Config struct {
	// Dir is a directory in which memory files are made, and unlinked at once, as
	// in "/dev/shm". Empty: anonymous memory, and /dev/shm where the kernel has
	// none. Whatever the place, memory is reserved before it is used.
	Dir string
}

// Driver opens the transport for a rank.
type Driver struct{ cfg Config }

var _ transport.Driver = (*Driver)(nil)

// New returns a driver with the given configuration.
func New(cfg Config) *Driver { return &Driver{cfg: cfg} }

// Name is "shm".
func (d *Driver) Name() string { return Name }

// Open makes a transport without connections. It tries whether memory can be
// shared here and answers ErrNotSupported, with the reason, if not.
func (d *Driver) Open(ctx context.Context, id transport.Identity) (transport.Transport, error) {
	return open(d.cfg, id)
}
