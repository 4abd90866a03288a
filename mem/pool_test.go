package mem_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ringo-ccl/ringo/internal/testenv"
	"github.com/ringo-ccl/ringo/mem"
)

// get takes a slot or ends the test.
func get(t testing.TB, p *mem.Pool, n int) *mem.Slot {
	t.Helper()
	s, err := p.Get(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSlotHasExactlyWhatWasAskedFor(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinNever})
	page := os.Getpagesize()
	for n, takes := range map[int]int{0: page, 1: page, page: page, page + 1: 2 * page, 5 * page: 8 * page, mem.MaxSlot: mem.MaxSlot} {
		s := get(t, p, n)
		if s.Memory().Len() != n || cap(s.Bytes()) != n {
			t.Errorf("slot of %d: %d bytes, capacity %d", n, s.Memory().Len(), cap(s.Bytes()))
		}
		if st := p.Stats(); st.InUse != takes || st.Slots != 1 {
			t.Errorf("slot of %d takes %d bytes, want %d", n, st.InUse, takes)
		}
		if n > 0 {
			if off, ok := mem.Contains(s.Slab(), s.Memory()); !ok || off != s.Offset() || !aligned(s.Memory()) {
				t.Errorf("slot of %d: at %d (%v) of its slab, Offset says %d", n, off, ok, s.Offset())
			}
		}
		s.Release()
	}
	if st := p.Stats(); st.InUse != 0 || st.Slots != 0 || st.Peak != mem.MaxSlot || st.Mapped != mem.MaxSlot {
		t.Errorf("stats at the end: %+v", st)
	}
}

func TestGetRefusesSizes(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{})
	for _, n := range []int{-1, mem.MaxSlot + 1} {
		if _, err := p.Get(n); err == nil || errors.Is(err, mem.ErrPoolExhausted) {
			t.Errorf("Get(%d): %v, want an error about the size", n, err)
		}
	}
}

func TestLimit(t *testing.T) {
	const limit = 5 << 20 // a whole slab, and a part of one
	p := mem.NewPool(mem.PoolConfig{Limit: limit, Pin: mem.PinNever})
	var slots []*mem.Slot
	for range 5 {
		slots = append(slots, get(t, p, 1<<20))
	}
	_, err := p.Get(1)
	if !errors.Is(err, mem.ErrPoolExhausted) {
		t.Fatalf("Get beyond the limit: %v", err)
	}
	for _, want := range []string{"1 bytes", "5 MiB of 5 MiB", "5 slots", "PoolConfig.Limit"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if st := p.Stats(); st.Mapped != limit || st.Peak != limit {
		t.Errorf("stats %+v, want all of the limit mapped", st)
	}
	for _, s := range slots {
		s.Release()
	}
	get(t, p, mem.MaxSlot).Release() // the halves have become whole again
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestGetSparesWholeRuns(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{Limit: mem.MaxSlot, Pin: mem.PinNever})
	var quarters [4]*mem.Slot
	for i := range quarters {
		quarters[i] = get(t, p, mem.MaxSlot/4)
	}
	for _, i := range []int{0, 1, 3} {
		quarters[i].Release()
	}
	get(t, p, mem.MaxSlot/4) // from the half that is broken already
	get(t, p, mem.MaxSlot/2)
}

func TestZeroConfigTriesToPin(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{})
	s := get(t, p, 1)
	st := p.Stats()
	if st.Limit != mem.DefaultPoolLimit {
		t.Errorf("limit %d, want %d", st.Limit, mem.DefaultPoolLimit)
	}
	if pinned := s.Memory().Kind() == mem.Pinned; pinned != (st.Pinned == st.Mapped) || pinned != (st.PinError == nil) {
		t.Errorf("slot is %v memory beside %+v", s.Memory().Kind(), st)
	}
}

func TestMisusePanics(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinNever})
	s := get(t, p, 10)
	s.Release()
	for name, misuse := range map[string]func(){
		"Release": s.Release,
		"Memory":  func() { s.Memory() },
		"Bytes":   func() { s.Bytes() },
		"Slab":    func() { s.Slab() },
		"Offset":  func() { s.Offset() },
	} {
		if !panics(misuse) {
			t.Errorf("%s after Release did not panic", name)
		}
	}
	if st := p.Stats(); st.Slots != 0 || st.InUse != 0 {
		t.Errorf("misuse changed the books: %+v", st)
	}
}

func TestPoolCloseNamesLeaks(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinNever})
	a, b := get(t, p, 1), get(t, p, 1<<20)
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "2 slots") {
		t.Errorf("Close with two slots out: %v", err)
	}
	a.Bytes()[0] = 1 // still there
	a.Release()
	b.Release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err == nil {
		t.Error("the second Close returned nil")
	}
	if _, err := p.Get(1); err == nil {
		t.Error("a closed pool gave a slot")
	}
}

func TestGetAndReleaseDoNotAllocate(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector allocates")
	}
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinNever})
	n := testing.AllocsPerRun(100, func() {
		a, b := get(t, p, 1), get(t, p, 256<<10)
		a.Release()
		b.Release()
	})
	if n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestManyGoroutinesShareAPool(t *testing.T) {
	p := mem.NewPool(mem.PoolConfig{Limit: mem.MaxSlot, Pin: mem.PinNever})
	var wg sync.WaitGroup
	for id := range 8 {
		wg.Go(func() {
			for i := range 200 {
				s, err := p.Get(i * 64)
				if err != nil {
					t.Error(err)
					return
				}
				if bad := fillAndCheck(s.Bytes(), byte(id)); bad >= 0 {
					t.Errorf("goroutine %d does not own byte %d of its slot", id, bad)
				}
				s.Release()
			}
		})
	}
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// fillAndCheck writes v everywhere and returns the first place where something
// else is then found, or -1.
func fillAndCheck(b []byte, v byte) int {
	for i := range b {
		b[i] = v
	}
	for i := range b {
		if b[i] != v {
			return i
		}
	}
	return -1
}

func BenchmarkGetRelease(b *testing.B) {
	p := mem.NewPool(mem.PoolConfig{Pin: mem.PinNever})
	b.ReportAllocs()
	for b.Loop() {
		get(b, p, 64<<10).Release()
	}
}
