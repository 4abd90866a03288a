package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// binary is the arbench that TestMain built.
var binary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if os.Getenv(sleeperVariable) != "" {
		return startSleeper()
	}
	dir, err := os.MkdirTemp("", "arbench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "arbench")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build arbench: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// sleeperVariable makes the test binary startSleeper.
const sleeperVariable = "ARBENCH_TEST_SLEEPER"

// startSleeper starts a process that knows nothing of its parent, the way that
// ranks are started, and waits for it.
func startSleeper() int {
	runtime.LockOSThread()
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = processAttributes()
	if err := cmd.Start(); err != nil {
		return 1
	}
	fmt.Println("started")
	_ = cmd.Wait()
	return 0
}

// command is arbench in an environment without a launcher.
func command(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = t.TempDir()
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+os.Getenv(name))
	}
	return cmd
}

// result is what a finished arbench left.
type result struct {
	status         int
	stdout, stderr string
}

// arbench runs the command to its end.
func arbench(t *testing.T, args ...string) result { return finished(t, command(t, args...)) }

func finished(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the state says more
	if cmd.ProcessState == nil {
		t.Fatalf("%v did not start", cmd)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// rows are the table's lines that are no comments, cut into columns.
func rows(table string) (all [][]string) {
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Fields(line))
		}
	}
	return all
}
