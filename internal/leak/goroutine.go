package leak

import (
	"runtime"
	"strings"
)

// forever lists functions whose goroutines the runtime and the standard library
// start once, on demand, and never end.
var forever = []string{
	"os/signal.loop(",
	"os/signal.signal_recv(",
	"runtime.ensureSigM(",
	"runtime/pprof.profileWriter(",
	"runtime.ReadTrace(",
}

// goroutines adds all goroutines to s but those that are there for good.
func goroutines(s scene) {
	for _, stack := range strings.Split(stacks(), "\n\n") {
		// The first line is like "goroutine 18 [chan receive, 2 minutes]:".
		id, frames, ok := strings.Cut(stack, " [")
		if ok && !permanent(frames) {
			s[id] = "[" + strings.TrimSpace(frames)
		}
	}
}

func permanent(frames string) bool {
	for _, f := range forever {
		if strings.Contains(frames, f) {
			return true
		}
	}
	return false
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	for buf := make([]byte, 64<<10); ; buf = make([]byte, 2*len(buf)) {
		if n := runtime.Stack(buf, true); n < len(buf) {
			return string(buf[:n])
		}
	}
}
