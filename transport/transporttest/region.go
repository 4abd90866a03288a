package transporttest

import (
	"bytes"
	"encoding/binary"

	"github.com/ringo-ccl/ringo/transport"
)

// region is registered memory of the kind under test.
type region struct {
	transport.MemoryRegion
	rank *rank
	b    []byte
	free func() error // of the memory, once the region is closed
}

// region registers n bytes of memory, which hold zeros.
func (k *rank) region(n int) *region {
	k.Helper()
	m, free, err := k.cfg.Alloc(k.kind, n)
	if err != nil {
		k.Skipf("there is no %v memory: %v", k.kind, err)
	}
	mr, err := k.tr.Register(m)
	if err != nil {
		free()
		k.Fatalf("rank %d: Register: %v", k.n, err)
	}
	reg := &region{MemoryRegion: mr, rank: k, b: m.Bytes(), free: free}
	k.regions = append(k.regions, reg)
	return reg
}

// release closes the region and frees its memory, once.
func (m *region) release() error {
	if m.free == nil {
		return nil
	}
	if err := m.Close(); err != nil {
		return err
	}
	free := m.free
	m.free = nil
	return free()
}

// filled registers n bytes that a seed determines.
func (k *rank) filled(n int, seed uint64) *region {
	k.Helper()
	reg := k.region(n)
	fill(reg.b, seed)
	return reg
}

// wants fails the test unless the bytes at off are want.
func (m *region) wants(what string, off int, want []byte) {
	m.rank.Helper()
	got := m.b[off : off+len(want)]
	if bytes.Equal(got, want) {
		return
	}
	for i := range want {
		if got[i] != want[i] {
			m.rank.Errorf("%s: byte %d of %d is %#x, want %#x", what, i, len(want), got[i], want[i])
			return
		}
	}
}

// fill writes a pattern that differs from seed to seed and never repeats.
func fill(b []byte, seed uint64) {
	for i := uint64(0); len(b) > 0; i++ {
		// The finalizer of splitmix64.
		x := (seed<<32 + i + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
		if len(b) >= 8 {
			binary.LittleEndian.PutUint64(b, x)
			b = b[8:]
			continue
		}
		for j := range b {
			b[j] = byte(x >> (8 * j))
		}
		return
	}
}

// pattern is n bytes of fill.
func pattern(n int, seed uint64) []byte {
	b := make([]byte, n)
	fill(b, seed)
	return b
}
