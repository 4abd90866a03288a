package reduce_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/reduce"
)

func sumTask(t testing.TB, id uint64, a, b []float32) reduce.Task {
	k, err := reduce.Sum.Kernel(reduce.Float32)
	if err != nil {
		t.Fatal(err)
	}
	return reduce.Task{Kernel: k, Dst: mem.Of(b).Bytes(), A: mem.Of(a).Bytes(), B: mem.Of(b).Bytes(), ID: id}
}

func TestCPUReportsInOrder(t *testing.T) {
	c := reduce.NewCPU(3)
	a, b := []float32{1, 2}, []float32{10, 20}
	task, next := sumTask(t, 0, a, b), uint64(0)
	for range 5 { // wraps around the ring
		for range 3 {
			if err := c.Submit(task); err != nil {
				t.Fatal(err)
			}
			task.ID++
		}
		if err := c.Submit(task); !errors.Is(err, reduce.ErrQueueFull) {
			t.Fatalf("fourth Submit: %v", err)
		}
		for _, want := range []int{2, 1, 0} {
			var done [2]reduce.Done
			n, err := c.Poll(done[:])
			if n != want || err != nil {
				t.Fatalf("Poll: %d, %v; want %d", n, err, want)
			}
			for _, d := range done[:n] {
				if d.ID != next || d.Err != nil {
					t.Fatalf("done %+v, want ID %d", d, next)
				}
				next++
			}
		}
	}
	if b[0] != 10+15 || b[1] != 20+30 {
		t.Errorf("b is %v", b)
	}
}

func TestCPUCatchesPanics(t *testing.T) {
	angry := reduce.Func("angry", true, func(in, inout []float32) { panic("bad day") })
	k, err := angry.Kernel(reduce.Float32)
	if err != nil {
		t.Fatal(err)
	}
	c, b := reduce.NewCPU(8), make([]byte, 8)
	good := sumTask(t, 4, []float32{1}, []float32{1})
	for _, task := range []reduce.Task{
		{Kernel: k, Dst: b, A: make([]byte, 8), B: b, ID: 1},
		{Kernel: good.Kernel, Dst: b, A: b[:4], B: b, ID: 2},
		{Dst: b, A: b, B: b, ID: 3},
		good,
	} {
		if err := c.Submit(task); err != nil {
			t.Fatal(err)
		}
	}
	var done [8]reduce.Done
	if n, err := c.Poll(done[:]); n != 4 || err != nil {
		t.Fatalf("Poll: %d, %v", n, err)
	}
	for i, want := range []string{`"angry" panicked: bad day`, "8, 4 and 8 bytes", "without a kernel"} {
		if done[i].Err == nil || !strings.Contains(done[i].Err.Error(), want) {
			t.Errorf("task %d: %v, want %s", i+1, done[i].Err, want)
		}
	}
	if done[3].Err != nil {
		t.Errorf("task after the panics: %v", done[3].Err)
	}
}

func TestCPUClosed(t *testing.T) {
	c := reduce.NewCPU(1)
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Fatal(err)
	}
	if err := c.Submit(reduce.Task{}); !errors.Is(err, reduce.ErrClosed) {
		t.Errorf("Submit: %v", err)
	}
	if _, err := c.Poll(nil); !errors.Is(err, reduce.ErrClosed) {
		t.Errorf("Poll: %v", err)
	}
}

func TestCPUDoesNotAllocate(t *testing.T) {
	c := reduce.NewCPU(2)
	task := sumTask(t, 1, make([]float32, 100), make([]float32, 100))
	done := make([]reduce.Done, 2)
	if n := testing.AllocsPerRun(100, func() { c.Submit(task); c.Poll(done) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
