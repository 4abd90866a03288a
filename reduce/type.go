package reduce

import (
	"fmt"
	"strings"
)

// Number lists the Go types of elements.
type Number interface {
	int8 | uint8 | int32 | uint32 | int64 | uint64 | Float16 | BFloat16 | float32 | float64
}

// Type names the element type of untyped bytes. The zero Type is invalid.
type Type uint8

// The element types.
const (
	Int8 Type = iota + 1
	Uint8
	Int32
	Uint32
	Int64
	Uint64
	F16  // IEEE 754 binary16, Go type Float16
	BF16 // bfloat16, Go type BFloat16
	Float32
	Float64

	numTypes = iota + 1
)

var types = [numTypes]struct {
	name string
	size int
}{
	Int8: {"int8", 1}, Uint8: {"uint8", 1},
	Int32: {"int32", 4}, Uint32: {"uint32", 4},
	Int64: {"int64", 8}, Uint64: {"uint64", 8},
	F16: {"float16", 2}, BF16: {"bfloat16", 2},
	Float32: {"float32", 4}, Float64: {"float64", 8},
}

// TypeOf returns the Type of elements of Go type T.
func TypeOf[T Number]() Type {
	var zero T
	switch any(zero).(type) {
	case int8:
		return Int8
	case uint8:
		return Uint8
	case int32:
		return Int32
	case uint32:
		return Uint32
	case int64:
		return Int64
	case uint64:
		return Uint64
	case Float16:
		return F16
	case BFloat16:
		return BF16
	case float32:
		return Float32
	}
	return Float64
}

// Types returns all valid types.
func Types() []Type {
	return []Type{Int8, Uint8, Int32, Uint32, Int64, Uint64, F16, BF16, Float32, Float64}
}

// ParseType returns the Type whose String is name, or an error that lists the
// valid names.
func ParseType(name string) (Type, error) {
	var names []string
	for _, t := range Types() {
		if t.String() == name {
			return t, nil
		}
		names = append(names, t.String())
	}
	return 0, fmt.Errorf("reduce: unknown type %q; valid types: %s", name, strings.Join(names, ", "))
}

// Size is the size of one element in bytes, 0 for an invalid Type.
func (t Type) Size() int {
	if !t.valid() {
		return 0
	}
	return types[t].size
}

// String returns the name that ParseType takes, such as "float16".
func (t Type) String() string {
	if !t.valid() {
		return fmt.Sprintf("reduce.Type(%d)", uint8(t))
	}
	return types[t].name
}

func (t Type) valid() bool { return t > 0 && t < numTypes }
