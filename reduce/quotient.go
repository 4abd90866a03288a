package reduce

import "github.com/ringo-ccl/ringo/mem"

// finisher turns complete sums of ranks contributions into averages, in place.
type finisher func(x []byte, ranks int)

// quotients returns the implementations of the closing division of Avg on t that
// this processor can run, slowest first; the first is the specification.
func quotients(t Type) []finisher {
	plain := genericQuotient(t)
	return append([]finisher{plain}, vectorQuotients(t, plain)...)
}

// ReferenceFinish is op's Finish in portable Go: the specification of the closing
// division, nil for operations that have none.
func ReferenceFinish(op Op, t Type) func(x []byte, ranks int) {
	if op.Finish(t) == nil {
		return nil
	}
	return genericQuotient(t)
}

// genericQuotient is the specification of the closing division.
func genericQuotient(t Type) finisher {
	switch t {
	case Int8:
		return signedQuotient[int8]
	case Uint8:
		return unsignedQuotient[uint8]
	case Int32:
		return signedQuotient[int32]
	case Uint32:
		return unsignedQuotient[uint32]
	case Int64:
		return signedQuotient[int64]
	case Uint64:
		return unsignedQuotient[uint64]
	case F16:
		return float16Quotient
	case BF16:
		return bfloat16Quotient
	case Float32:
		return floatQuotient[float32]
	}
	return floatQuotient[float64]
}

// Integers divide in 64 bits: the number of ranks need not fit the type.

func signedQuotient[T int8 | int32 | int64](x []byte, ranks int) {
	s := mem.SliceOf[T](x)
	for i := range s {
		s[i] = T(int64(s[i]) / int64(ranks))
	}
}

func unsignedQuotient[T uint8 | uint32 | uint64](x []byte, ranks int) {
	s := mem.SliceOf[T](x)
	for i := range s {
		s[i] = T(uint64(s[i]) / uint64(ranks))
	}
}

func floatQuotient[T float](x []byte, ranks int) {
	s := mem.SliceOf[T](x)
	for i := range s {
		s[i] /= T(ranks)
	}
}

func float16Quotient(x []byte, ranks int) {
	s := mem.SliceOf[Float16](x)
	for i := range s {
		s[i] = NewFloat16(s[i].Float32() / float32(ranks))
	}
}

func bfloat16Quotient(x []byte, ranks int) {
	s := mem.SliceOf[BFloat16](x)
	for i := range s {
		s[i] = NewBFloat16(s[i].Float32() / float32(ranks))
	}
}
