package bench

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

// bits of each integer type.
var integerBits = map[reduce.Type]uint{
	reduce.Int8: 8, reduce.Uint8: 8, reduce.Int32: 32, reduce.Uint32: 32, reduce.Int64: 64, reduce.Uint64: 64,
}

func signed(t reduce.Type) bool {
	return t == reduce.Int8 || t == reduce.Int32 || t == reduce.Int64
}

// values reads n elements of type t as exact numbers.
func values(t reduce.Type, b []byte) []*big.Rat {
	var out []*big.Rat
	for i := 0; i < len(b); i += t.Size() {
		out = append(out, value(t, b[i:i+t.Size()]))
	}
	return out
}

func value(t reduce.Type, b []byte) *big.Rat {
	r := new(big.Rat)
	switch t {
	case reduce.Int8:
		return r.SetInt64(int64(mem.SliceOf[int8](b)[0]))
	case reduce.Uint8:
		return r.SetUint64(uint64(b[0]))
	case reduce.Int32:
		return r.SetInt64(int64(mem.SliceOf[int32](b)[0]))
	case reduce.Uint32:
		return r.SetUint64(uint64(mem.SliceOf[uint32](b)[0]))
	case reduce.Int64:
		return r.SetInt64(mem.SliceOf[int64](b)[0])
	case reduce.Uint64:
		return r.SetUint64(mem.SliceOf[uint64](b)[0])
	case reduce.F16:
		return r.SetFloat64(float64(mem.SliceOf[reduce.Float16](b)[0].Float32()))
	case reduce.BF16:
		return r.SetFloat64(float64(mem.SliceOf[reduce.BFloat16](b)[0].Float32()))
	case reduce.Float32:
		return r.SetFloat64(float64(mem.SliceOf[float32](b)[0]))
	}
	return r.SetFloat64(mem.SliceOf[float64](b)[0])
}

// bruteForce combines one element of every rank with exact arithmetic.
func bruteForce(t reduce.Type, op reduce.Op, in []*big.Rat) *big.Rat {
	out := new(big.Rat).Set(in[0])
	for _, v := range in[1:] {
		switch op {
		case reduce.Prod:
			out.Mul(out, v)
		case reduce.Min:
			if v.Cmp(out) < 0 {
				out.Set(v)
			}
		case reduce.Max:
			if v.Cmp(out) > 0 {
				out.Set(v)
			}
		default:
			out.Add(out, v)
		}
	}
	if bits := integerBits[t]; bits > 0 {
		return wrapped(t, op, out.Num(), bits, len(in))
	}
	if op == reduce.Avg {
		out.Quo(out, big.NewRat(int64(len(in)), 1))
		return rounded(t, out)
	}
	return out
}

// wrapped takes an integer to t's range and then, for an average, divides.
func wrapped(t reduce.Type, op reduce.Op, n *big.Int, bits uint, ranks int) *big.Rat {
	modulus := new(big.Int).Lsh(big.NewInt(1), bits)
	n = new(big.Int).Mod(n, modulus)
	if signed(t) && n.Bit(int(bits)-1) == 1 {
		n.Sub(n, modulus)
	}
	if op == reduce.Avg {
		n.Quo(n, big.NewInt(int64(ranks))) // truncates
	}
	return new(big.Rat).SetInt(n)
}

// rounded is the number of type t that is nearest to v.
func rounded(t reduce.Type, v *big.Rat) *big.Rat {
	f32, _ := v.Float32()
	f64, _ := v.Float64()
	switch t {
	case reduce.F16:
		f64 = float64(reduce.NewFloat16(f32).Float32())
	case reduce.BF16:
		f64 = float64(reduce.NewBFloat16(f32).Float32())
	case reduce.Float32:
		f64 = float64(f32)
	}
	return new(big.Rat).SetFloat64(f64)
}

// TestExpected compares what the checker expects with exact arithmetic.
func TestExpected(t *testing.T) {
	const n = 97
	for _, typ := range reduce.Types() {
		for _, op := range reduce.Ops() {
			for ranks := 1; ranks <= 8; ranks++ {
				p := pattern{typ: typ, op: op, ranks: ranks, seed: uint64(ranks)}
				inputs := make([][]*big.Rat, ranks)
				for rank := range ranks {
					b := make([]byte, n*typ.Size())
					p.fill(b, rank)
					inputs[rank] = values(typ, b)
				}
				k := newChecker(p, n)
				k.reduced(nil, 0)
				for i, got := range values(typ, k.want) {
					var in []*big.Rat
					for rank := range ranks {
						in = append(in, inputs[rank][i])
					}
					if want := bruteForce(typ, op, in); got.Cmp(want) != 0 {
						t.Fatalf("%v %v of %d ranks, element %d: %v; want %v from %v", typ, op, ranks, i, got, want, in)
					}
				}
			}
		}
	}
}

// TestExactInAnyOrder sums and multiplies 64 ranks' inputs forwards, backwards
// and in pairs: the bits must not differ.
func TestExactInAnyOrder(t *testing.T) {
	const n, ranks = 500, 64
	for _, typ := range reduce.Types() {
		for _, op := range reduce.Ops() {
			kernel, err := reduce.Reference(op, typ)
			if err != nil {
				t.Fatal(err)
			}
			p := pattern{typ: typ, op: op, ranks: ranks, seed: 5}
			var in [][]byte
			for rank := range ranks {
				in = append(in, make([]byte, n*typ.Size()))
				p.fill(in[rank], rank)
			}
			forwards := append([]byte(nil), in[0]...)
			backwards := append([]byte(nil), in[ranks-1]...)
			for i := 1; i < ranks; i++ {
				kernel(forwards, forwards, in[i])
				kernel(backwards, backwards, in[ranks-1-i])
			}
			for step := 1; step < ranks; step *= 2 {
				for i := 0; i < ranks; i += 2 * step {
					kernel(in[i], in[i], in[i+step])
				}
			}
			if string(forwards) != string(backwards) || string(forwards) != string(in[0]) {
				t.Errorf("%v %v depends on the order", typ, op)
			}
		}
	}
}

// TestPatternVaries makes sure that ranks, seeds and positions differ.
func TestPatternVaries(t *testing.T) {
	for _, typ := range reduce.Types() {
		for _, op := range reduce.Ops() {
			seen := map[string]string{}
			for seed := range uint64(3) {
				for rank := range 5 {
					b := make([]byte, 64*typ.Size())
					pattern{typ: typ, op: op, ranks: 5, seed: seed}.fill(b, rank)
					who := fmt.Sprintf("seed %d rank %d", seed, rank)
					if other, ok := seen[string(b)]; ok {
						t.Errorf("%v %v: %s and %s have the same input", typ, op, who, other)
					}
					seen[string(b)] = who
				}
			}
		}
	}
}

func TestExactIntegers(t *testing.T) {
	for typ, digits := range map[reduce.Type]int{reduce.BF16: 8, reduce.F16: 11, reduce.Float32: 24} {
		if got := exactIntegers(typ); got != int(math.Exp2(float64(digits))) {
			t.Errorf("%v: %d", typ, got)
		}
	}
}
