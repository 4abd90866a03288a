package allreduce

import (
	"sync"
	"time"
)

// watchdog notices a collective that takes longer than its timeout. It looks now
// and then at which one is running, so that collectives themselves need no timer:
// setting one takes as long as a small collective does.
type watchdog struct {
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
	seq     uint64    // the collective seen last, 0 for none
	since   time.Time // when it was seen first
}

// watchdogLooks is how often it looks within a timeout.
const watchdogLooks = 16

// start begins to watch g, if collectives have a timeout.
func (w *watchdog) start(g *Group) {
	if g.c.OpTimeout <= 0 {
		return
	}
	every := max(g.c.OpTimeout/watchdogLooks, time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(every, func() {
		if w.look(g.progress.running(), g.c.OpTimeout) {
			g.expired()
		}
		w.again(every)
	})
}

// look says whether the collective that runs now has been seen for too long.
func (w *watchdog) look(seq uint64, timeout time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seq != w.seq {
		w.seq, w.since = seq, time.Now()
		return false
	}
	return seq != 0 && time.Since(w.since) >= timeout
}

func (w *watchdog) again(every time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.timer.Reset(every)
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
