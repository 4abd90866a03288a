//go:build !race

package mem

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. Where the kernel has none, ordinary ones do.
func adviseHuge(pages []byte) { _ = unix.Madvise(pages, unix.MADV_HUGEPAGE) }
