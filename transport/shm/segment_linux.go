package shm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/transport"
)

// segment is memory that processes share: a descriptor and a mapping of it. Its
// owner closes it.
type segment struct {
	fd    int // -1 in those who were given it, once mapped
	bytes []byte
}

// sealed is what a segment's size is protected by: without it a peer that
// shrinks the segment would make others fault.
const sealed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newSegment makes n zero bytes of memory, reserved and mapped.
func newSegment(cfg Config, n int) (*segment, error) {
	whole := max(1, (n+pageSize-1)/pageSize) * pageSize
	fd, err := reserve(cfg, whole)
	if err != nil {
		return nil, err
	}
	s := &segment{fd: fd}
	if s.bytes, err = mapShared(fd, whole); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("map %d bytes of shared memory: %w; raise the limit on address space (ulimit -v)", whole, err)
	}
	return s, nil
}

var pageSize = os.Getpagesize()

// reserve returns a descriptor of n bytes that exist.
func reserve(cfg Config, n int) (int, error) {
	if cfg.Dir != "" {
		return reserveFile(cfg.Dir, n)
	}
	fd, err := unix.MemfdCreate("ringo", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("%w: anonymous shared memory: %w", transport.ErrNotSupported, err)
	}
	return sizeAndSeal(fd, n)
}

// place is cfg with Dir filled in where the kernel has no anonymous memory.
func (cfg Config) place() Config {
	if cfg.Dir != "" {
		return cfg
	}
	fd, err := unix.MemfdCreate("ringo", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err == nil {
		unix.Close(fd)
	} else if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		cfg.Dir = "/dev/shm"
	}
	return cfg
}

func sizeAndSeal(fd, n int) (int, error) {
	err := allocate(fd, n)
	if err != nil {
		err = fmt.Errorf("%w: reserve %d bytes of shared memory: %w; raise the memory limit of the container or cgroup (memory.max), or use smaller buffers",
			transport.ErrNotSupported, n, err)
	} else if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, sealed); err != nil {
		err = fmt.Errorf("%w: seal shared memory: %w", transport.ErrNotSupported, err)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// allocate gives fd a size of n bytes and the pages for them.
func allocate(fd, n int) error {
	for {
		if err := unix.Fallocate(fd, 0, 0, int64(n)); err != unix.EINTR {
			return err
		}
	}
}

// reserveFile makes an unlinked file in dir with n bytes that exist.
func reserveFile(dir string, n int) (int, error) {
	f, err := os.CreateTemp(dir, "ringo-*")
	if err != nil {
		return -1, fmt.Errorf("%w: shared memory in %s: %w", transport.ErrNotSupported, dir, err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, fmt.Errorf("%w: unlink %s: %w", transport.ErrNotSupported, f.Name(), err)
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("duplicate descriptor (ulimit -n?): %w", err)
	}
	if err := allocate(fd, n); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("%w: reserve %d bytes in %s, which has %s: %w; make it larger (docker run --shm-size, a Kubernetes emptyDir of medium Memory)",
			transport.ErrNotSupported, n, dir, free(dir), err)
	}
	return fd, nil
}

// free says how much space dir has.
func free(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(filepath.Clean(dir), &s); err != nil {
		return "an unknown amount free"
	}
	return fmt.Sprintf("%d bytes free", s.Bavail*uint64(s.Bsize))
}

// openSegment maps a segment of n bytes that a peer passed, and closes fd. It
// refuses one that is shorter, or that the peer could still shrink.
func openSegment(cfg Config, fd, n int) (*segment, error) {
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if n <= 0 || st.Size < int64(n) {
		return nil, fmt.Errorf("%w: a segment of %d bytes was announced with %d", transport.ErrProtocol, st.Size, n)
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if cfg.Dir == "" && (err != nil || seals&sealed != sealed) { // files cannot be sealed
		return nil, fmt.Errorf("%w: a segment that can still be shrunk", transport.ErrProtocol)
	}
	b, err := mapShared(fd, n)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of a peer's memory: %w", n, err)
	}
	return &segment{fd: -1, bytes: b}, nil
}

// mapShared maps n bytes of fd and makes them present, so that no operation
// pays for it later. Huge pages are a wish.
func mapShared(fd, n int) ([]byte, error) {
	b, err := unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE)
	return b, nil
}

func (s *segment) close() error {
	err := unix.Munmap(s.bytes)
	if s.fd >= 0 {
		err = errors.Join(err, unix.Close(s.fd))
	}
	s.bytes, s.fd = nil, -1
	return err
}
