package mem_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/internal/testenv"
	"github.com/ringo-ccl/ringo/mem"
)

func TestAlloc(t *testing.T) {
	page := os.Getpagesize()
	for _, n := range []int{0, 1, page - 1, page, page + 1, 3 << 20} {
		for _, huge := range []bool{false, true} {
			b, err := mem.AllocWith(n, mem.AllocOptions{HugePages: huge})
			if err != nil {
				t.Fatal(err)
			}
			bytes := b.Bytes()
			if len(bytes) != n || cap(bytes) != n || b.Memory().Kind() != mem.Host {
				t.Errorf("block of %d: %d bytes, capacity %d, %v memory", n, len(bytes), cap(bytes), b.Memory().Kind())
			}
			for i := range bytes {
				if bytes[i] != 0 {
					t.Fatalf("byte %d of %d is not zero", i, n)
				}
				bytes[i] = 0xff
			}
			if n > 0 && !aligned(b.Memory()) {
				t.Errorf("block of %d bytes does not begin on a page boundary", n)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBlockCloseTwice(t *testing.T) {
	b, err := mem.Alloc(10)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err == nil {
		t.Error("the second Close returned nil")
	}
	if err := b.Pin(); err == nil {
		t.Error("Pin of a closed block returned nil")
	}
	if b.Memory().Len() != 0 {
		t.Error("a closed block still has bytes")
	}
}

func TestAllocRefusesWithSizeAndRemedy(t *testing.T) {
	for _, n := range []int{-1, math.MaxInt} {
		if _, err := mem.Alloc(n); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("Alloc(%d): %v", n, err)
		}
	}
	if testenv.Race {
		t.Skip("built with -race, blocks are Go memory, and running out of that is fatal")
	}
	_, err := mem.Alloc(1 << 60)
	if err == nil {
		t.Fatal("a block of 2^60 bytes was mapped")
	}
	for _, want := range []string{"1073741824 GiB", "ulimit -v"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestPin(t *testing.T) {
	b, err := mem.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	testenv.Need(t, "mlock", b.Pin)
	if b.Memory().Kind() != mem.Pinned {
		t.Errorf("pinned block is %v memory", b.Memory().Kind())
	}
}

// aligned reports whether m begins on a page boundary.
func aligned(m mem.Memory) bool { return mem.Address(m)%uintptr(os.Getpagesize()) == 0 }
