package reduce_test

import (
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
)

func TestNamesParse(t *testing.T) {
	for _, typ := range reduce.Types() {
		if got, err := reduce.ParseType(typ.String()); got != typ || err != nil {
			t.Errorf("ParseType(%q) is %v, %v", typ, got, err)
		}
		if typ == 0 || typ.Size() == 0 {
			t.Errorf("%v has size %d", typ, typ.Size())
		}
	}
	for _, op := range reduce.Ops() {
		if got, err := reduce.ParseOp(op.String()); got != op || err != nil {
			t.Errorf("ParseOp(%q) is %v, %v", op, got, err)
		}
		if !op.Valid() || !op.Commutative() {
			t.Errorf("%v is not valid and commutative", op)
		}
	}
	if _, err := reduce.ParseType("half"); err == nil || !strings.Contains(err.Error(), "int8, uint8, int32, uint32, int64, uint64, float16, bfloat16, float32, float64") {
		t.Errorf("ParseType: %v", err)
	}
	if _, err := reduce.ParseOp("mean"); err == nil || !strings.Contains(err.Error(), "sum, prod, min, max, avg") {
		t.Errorf("ParseOp: %v", err)
	}
}

func TestTypeOf(t *testing.T) {
	got := []reduce.Type{
		reduce.TypeOf[int8](), reduce.TypeOf[uint8](), reduce.TypeOf[int32](), reduce.TypeOf[uint32](),
		reduce.TypeOf[int64](), reduce.TypeOf[uint64](), reduce.TypeOf[reduce.Float16](), reduce.TypeOf[reduce.BFloat16](),
		reduce.TypeOf[float32](), reduce.TypeOf[float64](),
	}
	for i, want := range reduce.Types() {
		if got[i] != want {
			t.Errorf("TypeOf answers %v for %v", got[i], want)
		}
	}
}

func TestZeroValuesAreInvalid(t *testing.T) {
	var op reduce.Op
	var typ reduce.Type
	if op.Valid() || op.Commutative() || op.Finish(reduce.Int8) != nil || typ.Size() != 0 {
		t.Error("a zero value claims to be something")
	}
	for _, c := range []struct {
		op  reduce.Op
		typ reduce.Type
	}{{op, reduce.Int8}, {reduce.Sum, 0}, {reduce.Sum, 200}} {
		if _, err := c.op.Kernel(c.typ); err == nil {
			t.Errorf("Kernel of %v on %v has no error", c.op, c.typ)
		}
		if reduce.Variants(c.op, c.typ) != nil {
			t.Errorf("%v on %v has variants", c.op, c.typ)
		}
	}
	if op.String() == "" || typ.String() != "reduce.Type(0)" {
		t.Errorf("zero values print as %q and %q", op, typ)
	}
}
