//go:build !(linux || darwin) || race

package mem

import (
	"errors"
	"os"
	"unsafe"
)

// mapPages returns n zero bytes of the Go heap that begin on a page boundary.
// The collector does not move what it allocated, so they stay there.
func mapPages(n int) ([]byte, error) {
	page := os.Getpagesize()
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n], nil
}

// unmapPages leaves pages to the garbage collector.
func unmapPages([]byte) error { return nil }

// pinPages answers that the Go heap stays unpinned.
func pinPages([]byte) error {
	return errors.New("mem: this build keeps blocks in the Go heap, where they cannot be pinned")
}

// adviseHuge does nothing: the Go runtime decides about its own heap.
func adviseHuge([]byte) {}
