package reduce

import "errors"

// Errors of an Engine.
var (
	// ErrQueueFull says that as many results wait for Poll as the engine holds.
	ErrQueueFull = errors.New("reduce: engine queue is full; poll first")
	// ErrClosed says that the engine was closed.
	ErrClosed = errors.New("reduce: engine is closed")
)

// Engine runs kernels, at once or in the background. An Engine is used by one
// goroutine at a time.
type Engine interface {
	// Submit starts t. It answers ErrQueueFull, having started nothing, when the
	// engine holds no more tasks, and ErrClosed after Close. A failure of the
	// task itself is reported by Poll. The task's memory belongs to the engine
	// until then.
	Submit(t Task) error
	// Poll moves finished tasks to the front of done and returns their number,
	// which is 0 when none has finished; it does not wait. ErrClosed after Close.
	Poll(done []Done) (int, error)
	// Close gives up the engine's resources and forgets unreaped results.
	// Closing twice is allowed.
	Close() error
}

// Task is one pairwise step: Dst = A ∘ B, under the conditions of Kernel. ID is
// the caller's and comes back in Done.
type Task struct {
	Kernel    Kernel
	Dst, A, B []byte
	ID        uint64
}

// Done reports a finished Task. Err is nil, or says why Dst is not to be used.
type Done struct {
	ID  uint64
	Err error
}
