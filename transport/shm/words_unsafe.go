//go:build linux

package shm

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/stream"
)

// wordOf is the first word of a segment, which begins on a page boundary.
func wordOf(b []byte) *uint64 { return (*uint64)(unsafe.Pointer(&b[0])) }

// socketMessage is the kernel's description of a message and a descriptor.
type socketMessage struct {
	hdr unix.Msghdr
	iov unix.Iovec
}

// receive reads into b, and what comes along into oob, without blocking.
func (m *socketMessage) receive(fd int, b, oob []byte) (n, oobn int, err error) {
	m.iov.Base = &b[0]
	m.iov.SetLen(len(b))
	m.hdr.Iov = &m.iov
	m.hdr.SetIovlen(1)
	m.hdr.Control = &oob[0]
	m.hdr.SetControllen(len(oob))
	r, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&m.hdr)), unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err := stream.Errno(errno); err != nil {
		return 0, 0, err
	}
	return int(r), int(m.hdr.Controllen), nil
}

// Fetch has the kernel copy from peer's private memory.
func (t *Transport) Fetch(dst []byte, peer int, from uintptr) error {
	p := t.team.pairOf(peer)
	switch {
	case p == nil:
		return t.OpError("fetch", peer, fmt.Errorf("%w: the rank is not of this team", transport.ErrInvalid))
	case p.pid <= 0:
		return t.OpError("fetch", peer, fmt.Errorf("%w: its process is in another pid namespace; share it (docker run --pid=host)", transport.ErrNotSupported))
	}
	for len(dst) > 0 {
		local := unix.Iovec{Base: &dst[0], Len: uint64(len(dst))}
		remote := unix.RemoteIovec{Base: from, Len: len(dst)}
		n, _, errno := syscall.Syscall6(unix.SYS_PROCESS_VM_READV, uintptr(p.pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EPERM || errno == unix.ENOSYS:
			return t.OpError("fetch", peer, fmt.Errorf("%w: process_vm_readv: %w; it needs kernel.yama.ptrace_scope=0, or CAP_SYS_PTRACE in a container", transport.ErrNotSupported, errno))
		case errno == unix.ESRCH:
			return t.OpError("fetch", peer, fmt.Errorf("%w: process %d has ended", transport.ErrPeerLost, p.pid))
		case errno != 0:
			return t.OpError("fetch", peer, fmt.Errorf("process_vm_readv of %d bytes: %w", len(dst), errno))
		case n == 0:
			return t.OpError("fetch", peer, fmt.Errorf("%w: process_vm_readv copied nothing", transport.ErrProtocol))
		}
		dst, from = dst[n:], from+n
	}
	runtime.KeepAlive(dst)
	return nil
}
