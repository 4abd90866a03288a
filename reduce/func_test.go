package reduce_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/reduce/reducetest"
)

// latest keeps the contribution of later ranks in the low digit: 10a + b. It
// neither commutes nor forgives a second application.
var latest = reduce.Func("latest", false, func(in, inout []int64) {
	for i := range inout {
		inout[i] += 10 * in[i]
	}
})

func TestFuncKeepsTheOrderOfRanks(t *testing.T) {
	k, err := latest.Kernel(reduce.Int64)
	if err != nil {
		t.Fatal(err)
	}
	const n = 5000 // several pieces
	fill := func(x int64) []int64 { return slices.Repeat([]int64{x}, n) }
	for _, alias := range []string{"neither", "a", "b"} {
		a, b, dst := fill(1), fill(2), fill(0)
		switch alias {
		case "a":
			dst = a
		case "b":
			dst = b
		}
		k(mem.Of(dst).Bytes(), mem.Of(a).Bytes(), mem.Of(b).Bytes())
		if !slices.Equal(dst, fill(12)) {
			t.Errorf("dst is %s: %v..., want 12", alias, dst[:4])
		}
	}
	if latest.Commutative() {
		t.Error("latest claims to commute")
	}
	reducetest.Run(t, "aliases", latest, reduce.Int64, k)
}

func TestFuncIsForOneType(t *testing.T) {
	for _, lookup := range []func() error{
		func() error { _, err := latest.Kernel(reduce.Float32); return err },
		func() error { _, err := reduce.Reference(latest, reduce.Float32); return err },
	} {
		if err := lookup(); err == nil || !strings.Contains(err.Error(), `"latest" was made for int64, not for float32`) {
			t.Errorf("error is %v", err)
		}
	}
	if v := reduce.Variants(latest, reduce.Float32); len(v) != 0 {
		t.Errorf("variants for another type: %v", v)
	}
	if latest.Finish(reduce.Int64) != nil {
		t.Error("a user's operation has a finish")
	}
}

func TestFuncDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops at random under the race detector")
	}
	k, _ := latest.Kernel(reduce.Int64)
	a, b, dst := make([]byte, 1<<16), make([]byte, 1<<16), make([]byte, 1<<16)
	for _, to := range [][]byte{dst, a, b} {
		if n := testing.AllocsPerRun(100, func() { k(to, a, b) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestFuncPanicNamesTheOperation(t *testing.T) {
	cause := errors.New("bad day")
	op := reduce.Func("angry", true, func(in, inout []uint8) { panic(cause) })
	k, err := op.Kernel(reduce.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []bool{false, true} {
		a, b := make([]byte, 8), make([]byte, 8)
		dst := b
		if same {
			dst = a
		}
		func() {
			defer func() {
				e, ok := recover().(*reduce.PanicError)
				if !ok || e.Op != "angry" || !errors.Is(e, cause) || !strings.Contains(string(e.Stack), "func_test.go") {
					t.Errorf("recovered %v", e)
				}
			}()
			k(dst, a, b)
		}()
	}
}
