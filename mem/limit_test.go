//go:build (linux || darwin) && !race

package mem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"golang.org/x/sys/unix"
)

// lowerMemlock makes the system refuse to pin more than n bytes, or skips.
func lowerMemlock(t *testing.T, n uint64) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: n, Max: old.Max}); err != nil {
		t.Skipf("cannot lower RLIMIT_MEMLOCK: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &old); err != nil {
			t.Error(err)
		}
	})
	probe, err := mem.Alloc(int(n) + 1)
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if probe.Pin() == nil {
		t.Skip("this process may pin beyond RLIMIT_MEMLOCK (CAP_IPC_LOCK)")
	}
}

func TestPoolCarriesOnUnpinned(t *testing.T) {
	lowerMemlock(t, 64<<10)
	p := mem.NewPool(mem.PoolConfig{})
	s, err := p.Get(100)
	if err != nil {
		t.Fatal(err)
	}
	if s.Memory().Kind() != mem.Host {
		t.Errorf("slot is %v memory, want host", s.Memory().Kind())
	}
	st := p.Stats()
	if st.Pinned != 0 || st.Mapped == 0 || st.PinError == nil {
		t.Fatalf("stats %+v, want nothing pinned and why", st)
	}
	for _, want := range []string{"4 MiB", "RLIMIT_MEMLOCK allows this process 64 KiB", "limits.conf", "LimitMEMLOCK", "--ulimit memlock"} {
		if !strings.Contains(st.PinError.Error(), want) {
			t.Errorf("PinError %q does not say %q", st.PinError, want)
		}
	}
	s.Release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPinAlwaysRefuses(t *testing.T) {
	lowerMemlock(t, 64<<10)
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinAlways})
	if _, err := p.Get(100); !errors.Is(err, unix.ENOMEM) && !errors.Is(err, unix.EAGAIN) {
		t.Errorf("Get: %v, want the system's refusal", err)
	}
	if st := p.Stats(); st.Mapped != 0 || st.Slots != 0 {
		t.Errorf("stats %+v after a refusal, want nothing mapped", st)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
