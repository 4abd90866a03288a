// Package leak fails a test that leaves something behind: a goroutine, an open
// descriptor or a child process.
package leak

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long what a test started may take to end. Goroutines and
// processes end asynchronously after they were told to.
const patience = 5 * time.Second

// Check notes what exists now and, when the test and the cleanups it registers
// later are over, fails it if there is more. It looks at the whole process, so
// it is of no use in a test that runs in parallel with others. A test that has
// failed already is not checked.
//
// Descriptors and child processes are seen on Linux only.
func Check(t testing.TB) {
	t.Helper()
	check(t, patience)
}

func check(t testing.TB, patience time.Duration) {
	t.Helper()
	warm()
	before := look()
	t.Cleanup(func() {
		t.Helper()
		if t.Failed() {
			return
		}
		var left []string
		for pause, end := time.Millisecond, time.Now().Add(patience); ; pause *= 2 {
			if left = look().without(before); len(left) == 0 {
				return
			}
			if time.Now().After(end) {
				break
			}
			time.Sleep(min(pause, time.Until(end)+time.Millisecond))
		}
		t.Errorf("the test left behind:\n%s", strings.Join(left, "\n"))
	})
}

// scene is what exists at a time: a description of each thing, by its identity.
type scene map[string]string

// look takes in the whole process.
func look() scene {
	s := scene{}
	goroutines(s)
	descriptors(s)
	children(s)
	return s
}

// without describes what is in s and not in before.
func (s scene) without(before scene) []string {
	var left []string
	for id, what := range s {
		if _, ok := before[id]; !ok {
			left = append(left, fmt.Sprintf("%s: %s", id, what))
		}
	}
	slices.Sort(left)
	return left
}
