package reduce

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/ringo-ccl/ringo/mem"
)

// Func makes an operation on elements of type T, as MPI_Op_create does: f
// computes inout[i] = in[i] ∘ inout[i], where in is the contribution of earlier
// ranks. name appears in errors. A commutative operation may be applied to the
// ranks in any order; any other only in theirs, but still with any bracketing,
// so ∘ must be associative up to the error that the caller accepts.
//
// f must be deterministic and elementwise, since it is called on pieces of the
// data, and must not keep its arguments, which have the same length and do not
// overlap. It may run in several goroutines at once. Each call of Func makes a
// different Op.
func Func[T Number](name string, commutative bool, f func(in, inout []T)) Op {
	d := &definition{name: name, commutative: commutative}
	u := &user[T]{name: name, f: f}
	d.variants[TypeOf[T]()] = []Variant{{"generic", u.kernel}}
	return Op{d}
}

// PanicError is a panic of a user's operation.
type PanicError struct {
	Op    string // name given to Func
	Value any    // value the operation panicked with
	Stack []byte // where, as runtime/debug.Stack prints it
}

// Error names the operation and the value.
func (e *PanicError) Error() string {
	return fmt.Sprintf("reduce: operation %q panicked: %v", e.Op, e.Value)
}

// Unwrap returns Value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// user runs a user's function as a Kernel.
type user[T Number] struct {
	name    string
	f       func(in, inout []T)
	scratch sync.Pool // of *[piece]T
}

// piece is how many elements are combined at a time when dst is a.
const piece = 1024

func (u *user[T]) kernel(dst, a, b []byte) {
	checkLengths(dst, a, b)
	if len(dst) == 0 {
		return
	}
	defer u.explain()
	if &dst[0] == &a[0] {
		u.intoA(mem.SliceOf[T](a), mem.SliceOf[T](b))
		return
	}
	if &dst[0] != &b[0] {
		copy(dst, b)
	}
	u.f(mem.SliceOf[T](a), mem.SliceOf[T](dst))
}

// intoA computes a = a ∘ b. f writes where b was, so b goes through scratch.
func (u *user[T]) intoA(a, b []T) {
	s, _ := u.scratch.Get().(*[piece]T)
	if s == nil {
		s = new([piece]T)
	}
	for len(a) > 0 {
		n := copy(s[:], b)
		u.f(a[:n:n], s[:n:n])
		copy(a, s[:n])
		a, b = a[n:], b[n:]
	}
	u.scratch.Put(s)
}

// explain adds the operation's name to a panic.
func (u *user[T]) explain() {
	if r := recover(); r != nil {
		panic(&PanicError{Op: u.name, Value: r, Stack: debug.Stack()})
	}
}
