package leak

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// recorder is a test that only notes what would happen to it.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return len(r.errors) > 0 }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// observe runs body as a checked test and returns what the check says.
func observe(t *testing.T, patience time.Duration, body func()) string {
	r := &recorder{TB: t}
	check(r, patience)
	body()
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
	return strings.Join(r.errors, "\n")
}

func TestNothingLeft(t *testing.T) {
	if got := observe(t, patience, func() {}); got != "" {
		t.Error(got)
	}
}

func leakyLoop(stop chan struct{}) { <-stop }

func TestGoroutine(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	got := observe(t, 20*time.Millisecond, func() { go leakyLoop(stop) })
	if !strings.Contains(got, "leakyLoop") {
		t.Errorf("a leaked goroutine was not reported, but: %q", got)
	}
}

func TestGoroutineThatEnds(t *testing.T) {
	got := observe(t, patience, func() { go time.Sleep(30 * time.Millisecond) })
	if got != "" {
		t.Errorf("a goroutine on its way out was reported: %s", got)
	}
}

func TestDescriptor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("descriptors are seen on Linux only")
	}
	var r, w *os.File
	got := observe(t, 20*time.Millisecond, func() { r, w, _ = os.Pipe() })
	if strings.Count(got, "pipe:") != 2 {
		t.Errorf("two leaked descriptors were not reported, but: %q", got)
	}
	r.Close()
	w.Close()
	again := observe(t, patience, func() {
		r, w, _ := os.Pipe()
		r.Close()
		w.Close()
	})
	if again != "" {
		t.Errorf("closed descriptors were reported: %s", again)
	}
}

func TestChild(t *testing.T) {
	if _, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid())); err != nil {
		t.Skip("this system does not list child processes: ", err)
	}
	cmd := exec.Command("sleep", "60")
	got := observe(t, 20*time.Millisecond, func() {
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
	})
	if !strings.Contains(got, "child process") {
		t.Errorf("a child was not reported, but: %q", got)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

func TestFailedTestIsNotChecked(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	r := &recorder{TB: t}
	check(r, 20*time.Millisecond)
	go leakyLoop(stop)
	r.Errorf("failed")
	r.cleanups[0]()
	if len(r.errors) != 1 {
		t.Errorf("checked a failed test: %q", r.errors)
	}
}
