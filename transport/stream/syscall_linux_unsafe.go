//go:build linux

package stream

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is the kernel's description of a vector.
type message struct{ hdr unix.Msghdr }

// write sends the vector without blocking. Raw system calls skip the scheduler's
// book-keeping, which costs more than the call at small sizes; they never block.
func (v *vector) write(fd int) (int, error) {
	return v.call(unix.SYS_SENDMSG, fd, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// read fills the vector without blocking.
func (v *vector) read(fd int) (int, error) {
	return v.call(unix.SYS_RECVMSG, fd, unix.MSG_DONTWAIT)
}

func (v *vector) call(trap uintptr, fd int, flags uintptr) (int, error) {
	v.msg.hdr.Iov = &v.iov[0]
	v.msg.hdr.SetIovlen(v.n)
	for {
		n, _, errno := syscall.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(&v.msg.hdr)), flags)
		if errno != unix.EINTR {
			return max(int(n), 0), Errno(errno)
		}
	}
}

// readPlain and WritePlain move one range without blocking: for short ones a
// vector costs noticeably more.
func readPlain(fd int, b []byte) (int, error) {
	return plain(unix.SYS_RECVFROM, fd, b, unix.MSG_DONTWAIT)
}

// WritePlain writes some of b to a socket, or EAGAIN.
func WritePlain(fd int, b []byte) (int, error) {
	return plain(unix.SYS_SENDTO, fd, b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

func plain(trap uintptr, fd int, b []byte, flags uintptr) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall6(trap, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
		if errno != unix.EINTR {
			return max(int(n), 0), Errno(errno)
		}
	}
}

// Errno is the error of a raw system call, nil for 0. EAGAIN, which comes often,
// costs no allocation.
func Errno(errno syscall.Errno) error {
	switch errno {
	case 0:
		return nil
	case unix.EAGAIN:
		return unix.EAGAIN
	}
	return errno
}

// Yield lets another process run on this core: with more ranks than cores a
// rank that only spins keeps its neighbour from sending.
func Yield() { syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
