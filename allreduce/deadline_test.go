package allreduce

import (
	"testing"
	"time"
)

// TestWatchdogLooks: only a collective that has been seen for the whole timeout
// is late; one that began since the last look, or none, is not.
func TestWatchdogLooks(t *testing.T) {
	var w watchdog
	for _, seq := range []uint64{0, 0, 5, 5, 6, 0, 6} {
		if w.look(seq, time.Hour) {
			t.Fatalf("collective %d is late after no time", seq)
		}
	}
	w.since = w.since.Add(-2 * time.Hour)
	if w.look(7, time.Hour) {
		t.Fatal("collective 7 is late for the time of collective 6")
	}
	w.since = w.since.Add(-2 * time.Hour)
	if !w.look(7, time.Hour) {
		t.Fatal("collective 7 is not late after two hours")
	}
	w.look(0, time.Hour)
	w.since = w.since.Add(-2 * time.Hour)
	if w.look(0, time.Hour) {
		t.Fatal("an idle group is late")
	}
}
