package reduce

import (
	"errors"
	"fmt"
	"strings"
)

// Op is an operation that combines two elements into one. It is a small
// comparable value. The zero Op is invalid.
type Op struct{ *definition }

// definition is what an operation is, for each type it was made for.
type definition struct {
	name        string
	commutative bool
	variants    [numTypes][]Variant // slowest first; the first is the specification
	finish      [numTypes]finisher
}

// The built in operations, defined for every Type. All commute. The package
// documentation says what they answer for overflow, NaN and signed zeros.
var (
	Sum  = builtin("sum", sum, false)
	Prod = builtin("prod", prod, false)
	Min  = builtin("min", least, false)
	Max  = builtin("max", greatest, false)
	// Avg is Sum followed by one division by the number of ranks, see Op.Finish.
	Avg = builtin("avg", sum, true)
)

// operation is what a built in kernel does to two elements.
type operation uint8

const (
	sum operation = iota
	prod
	least
	greatest

	numOperations = iota
)

func builtin(name string, o operation, average bool) Op {
	d := &definition{name: name, commutative: true}
	for _, t := range Types() {
		d.variants[t] = append([]Variant{{"generic", generic(o, t)}}, vector(o, t)...)
		if average {
			q := quotients(t)
			d.finish[t] = q[len(q)-1]
		}
	}
	return Op{d}
}

// Ops returns the built in operations.
func Ops() []Op { return []Op{Sum, Prod, Min, Max, Avg} }

// ParseOp returns the built in operation whose String is name, or an error that
// lists the valid names.
func ParseOp(name string) (Op, error) {
	var names []string
	for _, op := range Ops() {
		if op.String() == name {
			return op, nil
		}
		names = append(names, op.String())
	}
	return Op{}, fmt.Errorf("reduce: unknown operation %q; valid operations: %s", name, strings.Join(names, ", "))
}

// Valid reports whether op is an operation; the zero Op is none.
func (op Op) Valid() bool { return op.definition != nil }

// String returns the name that ParseOp takes, or the name given to Func.
func (op Op) String() string {
	if !op.Valid() {
		return "reduce.Op(invalid)"
	}
	return op.name
}

// Commutative reports whether a ∘ b = b ∘ a, so that contributions may be
// combined in any order of ranks. It is false for the zero Op.
func (op Op) Commutative() bool { return op.Valid() && op.commutative }

// Finish returns what turns a complete reduction of t over ranks contributions
// into the result, in place: the closing division of Avg. It is nil for all
// other operations and for an invalid t. len(x) is a multiple of t's size, ranks
// is at least 1; any alignment.
func (op Op) Finish(t Type) func(x []byte, ranks int) {
	if !op.Valid() || !t.valid() {
		return nil
	}
	return op.finish[t]
}

// on returns op's variants for t; they are at least one when err is nil.
func (op Op) on(t Type) (variants []Variant, err error) {
	switch {
	case !op.Valid():
		return nil, errors.New("reduce: the zero Op is no operation")
	case !t.valid():
		return nil, fmt.Errorf("reduce: %v is no element type", t)
	case op.variants[t] != nil:
		return op.variants[t], nil
	}
	for made := range op.variants {
		if op.variants[made] != nil {
			return nil, fmt.Errorf("reduce: operation %q was made for %v, not for %v", op.name, Type(made), t)
		}
	}
	return nil, fmt.Errorf("reduce: operation %q has no kernel for %v", op.name, t)
}
