package mem_test

import (
	"fmt"

	"github.com/ringo-ccl/ringo/mem"
)

func Example() {
	gradients := []float32{1, 2, 3, 4}
	m := mem.Of(gradients)
	half := m.Slice(8, 8)
	off, ok := mem.Contains(m, half)
	fmt.Println(m.Len(), m.Kind(), off, ok, mem.SliceOf[float32](half.Bytes()))
	// Output: 16 host 8 true [3 4]
}

func ExamplePool() {
	pool := mem.NewPool(mem.PoolConfig{Limit: 8 << 20, Pin: mem.PinNever})
	slot, err := pool.Get(100_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(slot.Bytes(), "staged")
	fmt.Println(slot.Memory().Len(), "bytes, taking", pool.Stats().InUse)
	fmt.Println(pool.Close())
	slot.Release()
	fmt.Println(pool.Close())
	// Output:
	// 100000 bytes, taking 131072
	// mem: close pool: 1 slots of together 128 KiB are still out; release them first
	// <nil>
}

func ExampleAlloc() {
	block, err := mem.Alloc(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer block.Close()
	fmt.Println(len(block.Bytes()), block.Bytes()[999])
	// Output: 1000 0
}
