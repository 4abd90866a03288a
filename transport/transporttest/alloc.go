package transporttest

import (
	"errors"
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// DefaultAlloc makes host memory on the Go heap, and pinned memory where the
// system allows it.
func DefaultAlloc(kind mem.Kind, n int) (m mem.Memory, free func() error, err error) {
	switch kind {
	case mem.Host:
		return mem.Bytes(make([]byte, n)), func() error { return nil }, nil
	case mem.Pinned:
		return pinned(n)
	}
	return mem.Memory{}, nil, fmt.Errorf("%w: %v memory", transport.ErrNotSupported, kind)
}

func pinned(n int) (m mem.Memory, free func() error, err error) {
	block, err := mem.Alloc(n)
	if err != nil {
		return mem.Memory{}, nil, err
	}
	if err := block.Pin(); err != nil {
		return mem.Memory{}, nil, errors.Join(err, block.Close())
	}
	return block.Memory(), block.Close, nil
}
