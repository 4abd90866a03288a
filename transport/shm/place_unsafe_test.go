//go:build linux

package shm

import (
	"fmt"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// smallTmpfs mounts n bytes of memory as a directory, or skips.
func smallTmpfs(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", n)); err != nil {
		t.Skipf("mounting a small tmpfs takes root: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, 0) })
	return dir
}

// memoryFile is a memfd of n bytes with the given seals.
func memoryFile(t *testing.T, n, seals int) int {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); seals != 0 && err != nil {
		t.Fatal(err)
	}
	return fd
}
