package mem

import (
	"errors"
	"fmt"
	"math"
	"os"
)

// hugePage is the size from which a block is worth huge pages.
const hugePage = 2 << 20

// Block owns page-aligned memory outside the Go heap (see the package comment
// for the exceptions). One goroutine at a time owns a Block; Close unmaps the
// bytes, and touching them afterwards is a fault.
type Block struct {
	pages  []byte // whole pages; nil once closed
	n      int
	pinned bool
}

// AllocOptions says how to map a Block. The zero value is an ordinary one.
type AllocOptions struct {
	// HugePages asks for transparent huge pages, for blocks of 2 MiB and more on
	// Linux. It is a wish that the system may ignore. Default: false.
	HugePages bool
}

// Alloc returns a Block of n zero bytes.
func Alloc(n int) (*Block, error) { return AllocWith(n, AllocOptions{}) }

// AllocWith returns a Block of n zero bytes, mapped as o says.
func AllocWith(n int, o AllocOptions) (*Block, error) {
	page := os.Getpagesize()
	if n < 0 || n > math.MaxInt-page {
		return nil, fmt.Errorf("mem: block of %d bytes: size out of range", n)
	}
	whole := max(page, (n+page-1)/page*page)
	pages, err := mapPages(whole)
	if err != nil {
		return nil, fmt.Errorf("mem: map block of %v: %w; ask for less, or raise the limits on "+
			"memory (ulimit -v, the container's or cgroup's memory.max, vm.overcommit_memory)", size(n), err)
	}
	if o.HugePages && whole >= hugePage {
		adviseHuge(pages)
	}
	return &Block{pages: pages, n: n}, nil
}

// Memory describes the block's n bytes. It is empty once the block is closed.
func (b *Block) Memory() Memory {
	if b.pages == nil {
		return Memory{}
	}
	m := Memory{b: b.pages[:b.n:b.n]}
	if b.pinned {
		m.kind = Pinned
	}
	return m
}

// Bytes returns the block's n bytes.
func (b *Block) Bytes() []byte { return b.Memory().Bytes() }

// Pin keeps the block's pages resident until Close and makes its Memory of kind
// Pinned. The error names the limit that stands in the way and how to raise it.
func (b *Block) Pin() error {
	if b.pages == nil {
		return errors.New("mem: pin block: already closed")
	}
	if err := pinPages(b.pages); err != nil {
		return err
	}
	b.pinned = true
	return nil
}

// Close gives the memory back to the system. A second Close is an error.
func (b *Block) Close() error {
	if b.pages == nil {
		return errors.New("mem: close block: already closed")
	}
	if err := unmapPages(b.pages); err != nil {
		return fmt.Errorf("mem: unmap block of %v: %w", size(b.n), err)
	}
	b.pages = nil
	return nil
}
