package tcp

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/ringo-ccl/ringo/transport"
)

// Name is the driver's name.
const Name = "tcp"

// Config places a rank's one listening port. The zero value works.
type Config struct {
	// Listen is the IP address to listen on, without a port. Empty: all
	// addresses of this machine, IPv4 and IPv6.
	Listen string
	// Advertise is what other ranks dial, when that is not the address listened
	// on (NAT, Kubernetes services): "host" or "host:port". A name is resolved by
	// the dialer. Empty: Listen, or every address of this machine.
	Advertise string
	// Ports bounds the listening port. The zero range lets the system choose.
	Ports PortRange
}

// PortRange is an inclusive range of ports; the zero range means any.
type PortRange struct{ Min, Max int }

// ParsePortRange reads "5000-5010" or "5000".
func ParsePortRange(s string) (PortRange, error) {
	lo, hi, two := strings.Cut(s, "-")
	if !two {
		hi = lo
	}
	a, err1 := strconv.ParseUint(lo, 10, 16)
	b, err2 := strconv.ParseUint(hi, 10, 16)
	if err1 != nil || err2 != nil || a == 0 || a > b {
		return PortRange{}, fmt.Errorf("port range %q: want LOW-HIGH with 1 <= LOW <= HIGH <= 65535, as in 5000-5010", s)
	}
	return PortRange{int(a), int(b)}, nil
}

// String is the form that ParsePortRange reads, or "any".
func (r PortRange) String() string {
	if r == (PortRange{}) {
		return "any"
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// Driver opens the transport for a rank.
type Driver struct{ cfg Config }

var _ transport.Driver = (*Driver)(nil)

// New returns a driver with the given configuration.
func New(cfg Config) *Driver { return &Driver{cfg: cfg} }

// Name is "tcp".
func (d *Driver) Name() string { return Name }

// Open makes a transport without connections; it opens no socket yet.
func (d *Driver) Open(ctx context.Context, id transport.Identity) (transport.Transport, error) {
	if l := d.cfg.Listen; l != "" && net.ParseIP(l) == nil {
		return nil, &transport.OpError{Transport: Name, Op: "open", Peer: -1,
			Err: fmt.Errorf("%w: listen address %q is no IP address of this machine; give one without a port", transport.ErrInvalid, l)}
	}
	return open(d.cfg, id)
}
