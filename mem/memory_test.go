package mem_test

import (
	"testing"

	"github.com/ringo-ccl/ringo/mem"
)

func TestKindString(t *testing.T) {
	for kind, want := range map[mem.Kind]string{mem.Host: "host", mem.Pinned: "pinned", 9: "mem.Kind(9)"} {
		if got := kind.String(); got != want {
			t.Errorf("Kind(%d).String() = %q, want %q", uint8(kind), got, want)
		}
	}
}

func TestZeroMemoryIsEmptyHostMemory(t *testing.T) {
	var m mem.Memory
	if m.Len() != 0 || m.Kind() != mem.Host || m.Bytes() != nil {
		t.Errorf("zero Memory: Len %d, Kind %v, Bytes %v", m.Len(), m.Kind(), m.Bytes())
	}
}

func TestSlice(t *testing.T) {
	b := []byte("0123456789")
	s := mem.Bytes(b).Slice(2, 3)
	if string(s.Bytes()) != "234" || cap(s.Bytes()) != 3 {
		t.Errorf("Slice(2, 3) = %q with capacity %d, want \"234\" with 3", s.Bytes(), cap(s.Bytes()))
	}
	s.Bytes()[0] = 'x'
	if b[2] != 'x' {
		t.Error("Slice copied the bytes")
	}
	for _, r := range [][2]int{{-1, 2}, {0, 11}, {9, 2}, {11, 0}, {3, -1}} {
		if !panics(func() { mem.Bytes(b[:10:10]).Slice(r[0], r[1]) }) {
			t.Errorf("Slice(%d, %d) of 10 bytes did not panic", r[0], r[1])
		}
	}
}

func TestOfAndSliceOfAreInverse(t *testing.T) {
	x := []float64{1, -2, 3}
	m := mem.Of(x)
	if m.Len() != 24 {
		t.Fatalf("Of three float64 has %d bytes, want 24", m.Len())
	}
	y := mem.SliceOf[float64](m.Bytes())
	y[1] = 7
	if len(y) != 3 || x[1] != 7 {
		t.Errorf("SliceOf(Of(x)) = %v beside x = %v, want a view of x", y, x)
	}
	if got := mem.SliceOf[float64](make([]byte, 15)); len(got) != 1 {
		t.Errorf("15 bytes hold %d float64, want 1", len(got))
	}
	if mem.Of([]int32(nil)).Len() != 0 || mem.SliceOf[int32](make([]byte, 3)) != nil {
		t.Error("nothing is not empty")
	}
}

func TestContainsAndOverlap(t *testing.T) {
	m := mem.Bytes(make([]byte, 100))
	for _, c := range []struct {
		a, b     mem.Memory
		off      int
		contains bool
		overlap  bool
	}{
		{m, m, 0, true, true},
		{m, m.Slice(40, 60), 40, true, true},
		{m.Slice(0, 50), m.Slice(40, 20), 0, false, true},
		{m.Slice(0, 50), m.Slice(50, 50), 0, false, false},
		{m.Slice(50, 50), m.Slice(0, 51), 0, false, true},
		{m, m.Slice(10, 0), 0, false, false},
		{m, mem.Bytes(make([]byte, 10)), 0, false, false},
	} {
		if off, ok := mem.Contains(c.a, c.b); off != c.off || ok != c.contains {
			t.Errorf("Contains(%d bytes, %d bytes) = %d, %v, want %d, %v", c.a.Len(), c.b.Len(), off, ok, c.off, c.contains)
		}
		if mem.Overlap(c.a, c.b) != c.overlap || mem.Overlap(c.b, c.a) != c.overlap {
			t.Errorf("Overlap(%d bytes, %d bytes) is not %v both ways", c.a.Len(), c.b.Len(), c.overlap)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}
