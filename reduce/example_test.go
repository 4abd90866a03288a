package reduce_test

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

func Example() {
	sum, err := reduce.Avg.Kernel(reduce.Float32)
	if err != nil {
		panic(err)
	}
	received, own := []float32{1, 2, 3}, []float32{3, 2, 2}
	sum(mem.Of(own).Bytes(), mem.Of(received).Bytes(), mem.Of(own).Bytes())
	reduce.Avg.Finish(reduce.Float32)(mem.Of(own).Bytes(), 2)
	fmt.Println(own)
	// Output: [2 2 2.5]
}

func ExampleFunc() {
	// The argument of the largest magnitude; equal ones go to the earlier rank.
	loudest := reduce.Func("loudest", false, func(in, inout []int32) {
		for i := range inout {
			if in[i]*in[i] >= inout[i]*inout[i] {
				inout[i] = in[i]
			}
		}
	})
	k, err := loudest.Kernel(reduce.Int32)
	if err != nil {
		panic(err)
	}
	earlier, later := []int32{-7, 2, 5}, []int32{7, 3, -4}
	k(mem.Of(later).Bytes(), mem.Of(earlier).Bytes(), mem.Of(later).Bytes())
	fmt.Println(later)
	// Output: [-7 3 5]
}
