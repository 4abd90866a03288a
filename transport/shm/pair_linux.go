package shm

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// pair is the connection of two members and what this one has mapped of the
// other's memory.
type pair struct {
	fd     int // a unix socket; -1 once closed
	rank   int // of the other
	pid    int // of the other, 0 when it is not of this process's namespace
	board  *segment
	asleep *uint64             // on the other's segment
	views  map[uint64]*segment // by the other's number
	failed bool                // the other has no memory to share
	ended  error               // ErrPeerLost or ErrPeerClosed: how the other ended

	in    [frameSize]byte // the frame being read
	out   [frameSize]byte // the frame being sent
	oob   [64]byte        // the descriptor that comes along
	msg   socketMessage
	got   int
	inFD  int // a descriptor that came with it, if hasFD
	hasFD bool
}

// frame is what members tell each other over their socket.
type frame struct {
	kind kind
	id   uint64 // of a segment
	size uint64 // of a segment, in bytes
}

type kind uint8

const (
	wakeUp  kind = iota + 1 // a word on the sender's board has changed
	board                   // the sender's board; the descriptor comes along
	failure                 // the sender has no board
	given                   // a new segment, with its descriptor
	taken                   // the segment is closed: unmap it
	bye                     // the sender leaves on purpose
)

const frameSize = 24

const frameMagic = 0x52676d // "mgR"

func (f frame) put(b *[frameSize]byte) {
	binary.LittleEndian.PutUint64(b[0:], frameMagic<<8|uint64(f.kind))
	binary.LittleEndian.PutUint64(b[8:], f.id)
	binary.LittleEndian.PutUint64(b[16:], f.size)
}

func parseFrame(b *[frameSize]byte) (frame, error) {
	head := binary.LittleEndian.Uint64(b[0:])
	f := frame{kind(head), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])}
	if head>>8 != frameMagic || f.kind < wakeUp || f.kind > bye {
		return f, fmt.Errorf("%w: %x is no frame", transport.ErrProtocol, b[:])
	}
	return f, nil
}

// send writes a frame, and a descriptor unless fd is -1.
func (p *pair) send(f frame, fd int) error {
	f.put(&p.out)
	for {
		var err error
		if fd >= 0 {
			_, err = unix.SendmsgN(p.fd, p.out[:], unix.UnixRights(fd), nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
		} else {
			_, err = stream.WritePlain(p.fd, p.out[:])
		}
		switch {
		case err == nil:
			return nil
		case err == unix.EINTR:
		case err == unix.EAGAIN && f.kind == wakeUp:
			return nil // what is in the socket wakes the peer as well
		case err == unix.EAGAIN: // it must not be lost: wait for room
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}, fullTime); err != nil && err != unix.EINTR {
				return err
			}
			if f.kind == bye {
				return nil
			}
		case err == unix.EPIPE || err == unix.ECONNRESET:
			return transport.ErrPeerLost
		default:
			return err
		}
	}
}

// fullTime is how long a look at a full socket takes, in milliseconds.
const fullTime = 10

// ring wakes the other member.
func (p *pair) ring() {
	if p.fd >= 0 {
		p.send(frame{kind: wakeUp}, -1) // a peer that is gone is noticed by its socket
	}
}

// read takes one frame from the socket if a whole one is there.
func (p *pair) read() (f frame, fd int, ok bool, err error) {
	for p.got < frameSize {
		n, oob, err := p.msg.receive(p.fd, p.in[p.got:], p.oob[:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return f, -1, false, nil
		case err != nil || n == 0:
			return f, -1, false, transport.ErrPeerLost
		}
		p.got += n
		if err := p.take(p.oob[:oob]); err != nil {
			return f, -1, false, err
		}
	}
	p.got = 0
	fd = -1
	if p.hasFD {
		fd, p.hasFD = p.inFD, false
	}
	f, err = parseFrame(&p.in)
	return f, fd, err == nil, err
}

// take keeps the descriptor that came with a frame.
func (p *pair) take(oob []byte) error {
	if len(oob) == 0 {
		return nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return err
		}
		for _, fd := range fds {
			if p.hasFD { // one too many
				unix.Close(fd)
				continue
			}
			p.inFD, p.hasFD = fd, true
		}
	}
	return nil
}

func (p *pair) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
		p.fd = -1
	}
	if p.hasFD {
		unix.Close(p.inFD)
		p.hasFD = false
	}
}
