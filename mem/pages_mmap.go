//go:build (linux || darwin) && !race

package mem

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mapPages returns n zero bytes, n being whole pages.
func mapPages(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// unmapPages gives back what mapPages returned and unpins it.
func unmapPages(pages []byte) error { return unix.Munmap(pages) }

// pinPages makes pages resident for as long as they are mapped.
func pinPages(pages []byte) error {
	err := unix.Mlock(pages)
	if err == nil {
		return nil
	}
	return fmt.Errorf("mem: mlock of %v: %w; RLIMIT_MEMLOCK allows this process %s; raise it with memlock in "+
		"/etc/security/limits.conf, LimitMEMLOCK= in the systemd unit, or --ulimit memlock=-1 for a container",
		size(len(pages)), err, memlockLimit())
}

// memlockLimit is the soft limit on locked memory, in words.
func memlockLimit() string {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r); err != nil {
		return "an unknown size"
	}
	if r.Cur > 1<<62 {
		return "any size"
	}
	return size(r.Cur).String()
}
