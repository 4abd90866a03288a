package shm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// authPurpose keeps a proof for this protocol from being one for another.
const authPurpose = "ringo shm v1"

// teamLane marks the connection that makes two ranks members of a team.
const teamLane = stream.DivertFrom

// Transport is one rank's unix sockets and shared memory.
type Transport struct {
	*stream.Transport
	cfg  Config
	team team
}

var (
	_ transport.Transport = (*Transport)(nil)
	_ transport.Direct    = (*Transport)(nil)
)

func open(cfg Config, id transport.Identity) (transport.Transport, error) {
	t := &Transport{cfg: cfg.place()}
	var err error
	t.Transport, err = stream.Open(stream.Config{Name: Name, Purpose: authPurpose, Vet: vet, Divert: t.divert}, id)
	if err != nil {
		return nil, err
	}
	err = t.try()
	if err == nil {
		err = t.team.open(t)
	}
	if err != nil {
		t.Transport.Close()
		return nil, t.OpError("open", -1, err)
	}
	return t, nil
}

// try makes a segment, to find out early that none can be made.
func (t *Transport) try() error {
	s, err := newSegment(t.cfg, pageSize)
	if err != nil {
		return err
	}
	return s.close()
}

// Place is the host part of an address.
func (t *Transport) Place(addr string) string {
	host, _, _ := strings.Cut(addr, "|")
	return host
}

// Listen takes an abstract socket with a name that nobody can guess; nothing of
// it is left in any directory.
func (t *Transport) Listen(ctx context.Context) (transport.Listener, error) {
	var name [16]byte
	rand.Read(name[:])
	addr := "@ringo-" + hex.EncodeToString(name[:])
	var lc net.ListenConfig
	nl, err := lc.Listen(ctx, "unix", addr)
	if err != nil {
		return nil, t.OpError("listen", -1, fmt.Errorf("unix socket %s: %w", addr, err))
	}
	return t.Serve(nl, stream.HostID()+"|"+addr)
}

// Dial connects to a rank of the same host.
func (t *Transport) Dial(ctx context.Context, addr string, peer transport.Peer) (transport.Conn, error) {
	nc, err := t.dial(ctx, addr)
	if err != nil {
		return nil, t.OpError("dial", peer.Rank, fmt.Errorf("%s: %w", addr, err))
	}
	c, err := t.Connect(ctx, nc, peer)
	if err != nil {
		return nil, t.OpError("dial", peer.Rank, fmt.Errorf("%s: %w", addr, err))
	}
	return c, nil
}

// dialTime bounds how long a connection takes that the other end's kernel
// accepts by itself.
const dialTime = 3 * time.Second

func (t *Transport) dial(ctx context.Context, addr string) (net.Conn, error) {
	host, socket, ok := strings.Cut(addr, "|")
	if !ok || !strings.HasPrefix(socket, "@") || len(socket) > 100 {
		return nil, fmt.Errorf("%w: address %.64q is not of the form host|@socket", transport.ErrInvalid, addr)
	}
	if here := stream.HostID(); host != here {
		return nil, fmt.Errorf("%w: it is on host %s, this is %s; shared memory ends at the host, or at its network namespace", transport.ErrNotSupported, host, here)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	if err := vet(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// vet refuses processes of other users.
func vet(nc net.Conn) error {
	fd, err := stream.Descriptor(nc)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return fmt.Errorf("who is at the other end: %w", err)
	}
	if me := os.Geteuid(); c.Uid != 0 && int(c.Uid) != me {
		return fmt.Errorf("a process of user %d; ranks of one job run as one user, here %d", c.Uid, me)
	}
	return nil
}

// Wake makes the current or next Wait or Await return.
func (t *Transport) Wake() {
	t.Transport.Wake()
	t.team.wake()
}

// Close ends every connection with a goodbye, also those of the team. The memory
// stays mapped until Disband.
func (t *Transport) Close() error {
	err := t.Transport.Close()
	t.team.leave(true)
	return err
}

// Kill ends the transport as the death of its process would; see stream's.
func (t *Transport) Kill() {
	t.Transport.Kill()
	t.team.leave(false)
}
