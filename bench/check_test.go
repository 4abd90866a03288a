package bench

import (
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
)

// reduction is what c's ranks should get, one period after another.
func reduction(c *checker, total int) []byte {
	out := make([]byte, total*c.typ.Size())
	c.reduced(nil, 0)
	c.tile(out, 0, func(part, want []byte, _ int) { copy(part, want) })
	return out
}

func TestCheckerFindsEveryWrongElement(t *testing.T) {
	const total = 2*period + 17
	c := newChecker(pattern{typ: reduce.F16, op: reduce.Sum, ranks: 3, seed: 1}, total)
	got := reduction(c, total)
	if f := c.reduced(got, 0); f.wrong != 0 || f.checked != total {
		t.Fatalf("the right result: %+v", f)
	}
	for _, i := range []int{0, 1, period - 1, period, 2 * period, total - 1} {
		got[2*i] ^= 1
		if f := c.reduced(got, 0); f.wrong != 1 {
			t.Errorf("element %d is wrong: %+v", i, f)
		}
		got[2*i] ^= 1
	}
	for i := range got {
		got[i] ^= 0x40
	}
	if f := c.reduced(got, 0); f.wrong != total {
		t.Errorf("all are wrong: found %d of %d", f.wrong, total)
	}
}

// TestCheckerAtAnOffset compares a block out of the middle of the array.
func TestCheckerAtAnOffset(t *testing.T) {
	const total, first = 3 * period, period - 5
	c := newChecker(pattern{typ: reduce.Int32, op: reduce.Max, ranks: 2, seed: 1}, total)
	block := reduction(c, total)[first*4 : first*4+40000]
	if f := c.reduced(block, first); f.wrong != 0 || f.checked != 10000 {
		t.Errorf("the right block: %+v", f)
	}
	if f := c.reduced(block, first+1); f.wrong < 9000 {
		t.Errorf("a block that is off by one has %d wrong elements", f.wrong)
	}
}

func TestCheckerMoved(t *testing.T) {
	const total = period + 100
	c := newChecker(pattern{typ: reduce.Uint8, ranks: 4, seed: 9}, total)
	got := make([]byte, 5000)
	c.input(got, 2, 77)
	if f := c.moved(got, 2, 77); f.wrong != 0 || f.checked != 5000 {
		t.Errorf("own data: %+v", f)
	}
	if f := c.moved(got, 3, 77); f.wrong < 4500 {
		t.Errorf("another rank's data has %d wrong elements", f.wrong)
	}
}

func TestPoison(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000} {
		b := make([]byte, n)
		poison(b)
		for i, v := range b {
			if v != 0xa5 {
				t.Errorf("byte %d of %d is %#x", i, n, v)
			}
		}
	}
}
