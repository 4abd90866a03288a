// Package reducetest checks kernels of package reduce against the reference, for
// the built in variants and for those that later devices bring.
package reducetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ringo-ccl/ringo/reduce"
)

// maxLength is the longest vector, in elements, whose every shorter length is
// tried.
const maxLength = 257

// Run fails t wherever k, a kernel of op on typ, differs from reduce.Reference.
// It tries every length from 0 to 257 elements, starts that are aligned, off by
// one element and off by one byte, a dst of its own, dst == a and dst == b, all
// pairs of special values and random bits, and looks for bytes written outside
// dst. NaN must equal the reference's bit for bit for reduce.Min and reduce.Max;
// for other operations any NaN equals any other. name titles the subtest.
func Run(t *testing.T, name string, op reduce.Op, typ reduce.Type, k reduce.Kernel) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		want, err := reduce.Reference(op, typ)
		if err != nil {
			t.Fatal(err)
		}
		c := comparison{op: op, typ: typ, got: k, want: want}
		if err := c.run(); err != nil {
			t.Errorf("%v on %v: %v", op, typ, err)
		}
	})
}

// comparison is a kernel beside the one that it must agree with.
type comparison struct {
	op        reduce.Op
	typ       reduce.Type
	got, want reduce.Kernel
}

func (c comparison) run() error {
	v := newValues(c.typ)
	for _, start := range []int{0, c.typ.Size(), 1} {
		for n := range maxLength + 1 {
			if err := c.all(v.mixed(n), v.mixed(n), start); err != nil {
				return err
			}
		}
		a, b := v.pairs()
		if err := c.all(a, b, start); err != nil {
			return fmt.Errorf("special values: %w", err)
		}
		if err := c.all(v.random(1<<12), v.random(1<<12), start); err != nil {
			return fmt.Errorf("random bits: %w", err)
		}
	}
	return nil
}

// all tries every aliasing of a ∘ b.
func (c comparison) all(a, b []byte, start int) error {
	want := make([]byte, len(a))
	c.want(want, a, b)
	for _, alias := range []string{"neither", "a", "b"} {
		pa, pb, dst := newPlaced(a, start), newPlaced(b, start), newPlaced(make([]byte, len(a)), start)
		switch alias {
		case "a":
			dst = pa
		case "b":
			dst = pb
		}
		c.got(dst.bytes(), pa.bytes(), pb.bytes())
		err := c.differ(dst.bytes(), want, a, b)
		switch {
		case err != nil:
		case !dst.guarded() || !pa.guarded() || !pb.guarded():
			err = fmt.Errorf("wrote outside dst")
		case alias != "a" && !bytes.Equal(pa.bytes(), a):
			err = fmt.Errorf("wrote to a")
		case alias != "b" && !bytes.Equal(pb.bytes(), b):
			err = fmt.Errorf("wrote to b")
		}
		if err != nil {
			return fmt.Errorf("%d elements, start +%d bytes, dst is %s: %w", len(a)/c.typ.Size(), start, alias, err)
		}
	}
	return nil
}

// differ names the first element of got that is not want's.
func (c comparison) differ(got, want, a, b []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	exact := c.op == reduce.Min || c.op == reduce.Max
	for i := range len(got) / c.typ.Size() {
		g, w := bitsAt(c.typ, got, i), bitsAt(c.typ, want, i)
		if g == w || !exact && isNaN(c.typ, g) && isNaN(c.typ, w) {
			continue
		}
		return fmt.Errorf("element %d: %#x ∘ %#x = %#x, want %#x", i, bitsAt(c.typ, a, i), bitsAt(c.typ, b, i), g, w)
	}
	return nil
}
