package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// long is a run that does not end by itself while a test looks on.
var long = []string{"-np", "3", "-b", "1M", "-e", "1M", "-n", "1000000", "-w", "1", "-c", "0"}

// running is an arbench that is measuring.
type running struct {
	cmd    *exec.Cmd
	ranks  []int // process numbers by rank; none for goroutines
	stderr *bytes.Buffer
}

// start returns when the table's header is there, so all ranks have joined.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{cmd: command(t, args...), stderr: &bytes.Buffer{}}
	r.cmd.Stderr = r.stderr
	r.cmd.WaitDelay = 10 * time.Second
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.Contains(lines.Text(), "(elements)") {
	}
	go func() { // the rest
		for lines.Scan() {
		}
	}()
	r.ranks = children(t, r.cmd.Process.Pid)
	return r
}

// children lists the processes that parent started, in the order of their start.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if after[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// end waits for arbench and returns its status; it fails the test if that takes
// longer than most or leaves a rank behind.
func (r *running) end(t *testing.T, most time.Duration) int {
	t.Helper()
	begin := time.Now()
	_ = r.cmd.Wait() // the state says more
	if took := time.Since(begin); took > most {
		t.Errorf("arbench took %v to end", took)
	}
	r.noRankLeft(t)
	return r.cmd.ProcessState.ExitCode()
}

func (r *running) noRankLeft(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := slices.DeleteFunc(slices.Clone(r.ranks), func(pid int) bool { return !alive(pid) })
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("processes %v are left behind", left)
			return
		}
	}
}

// alive reports whether pid runs; what only waits for its parent to notice its
// end does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && text[bytes.LastIndexByte(text, ')')+2] != 'Z'
}

func TestKilledRank(t *testing.T) {
	for victim := range 3 {
		report := filepath.Join(t.TempDir(), "r.json")
		r := start(t, append(long, "-J", report)...)
		if len(r.ranks) != 3 {
			t.Fatalf("ranks %v", r.ranks)
		}
		if err := syscall.Kill(r.ranks[victim], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if status := r.end(t, 15*time.Second); status != exitFailed {
			t.Errorf("status %d", status)
		}
		said := r.stderr.String()
		culprit := fmt.Sprintf("arbench: rank %d (pid %d) was killed by signal 9 (killed)", victim, r.ranks[victim])
		if !strings.HasPrefix(said, culprit) || strings.Count(said, "\n") > 3 {
			t.Errorf("victim %d: want %q and at most two lines more:\n%s", victim, culprit, said)
		}
		if victim != 0 && len(readJSON(t, report).Errors) != 1 {
			t.Errorf("victim %d: the JSON document does not tell", victim)
		}
	}
}

// TestKernelEndsRanks kills a process whose child would not notice by itself.
func TestKernelEndsRanks(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), sleeperVariable+"=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	r := &running{ranks: children(t, cmd.Process.Pid)}
	if err := cmd.Process.Kill(); err != nil || len(r.ranks) != 1 {
		t.Fatalf("%v, children %v", err, r.ranks)
	}
	_ = cmd.Wait()
	r.noRankLeft(t)
}

func TestKilledArbench(t *testing.T) {
	r := start(t, long...)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if status := r.end(t, 5*time.Second); status != -1 {
		t.Errorf("status %d", status)
	}
}

func TestInterrupt(t *testing.T) {
	for _, transport := range []string{"tcp", "inproc"} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			r := start(t, append(long, "-t", transport)...)
			if err := r.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if status := r.end(t, 5*time.Second); status != exitFailed || r.stderr.String() != "arbench: interrupted\n" {
				t.Errorf("%s %v: status %d, %s", transport, signal, status, r.stderr)
			}
		}
	}
}

// TestStalledRank stops a rank, which then neither works nor dies.
func TestStalledRank(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	r := start(t, append(long, "--timeout", "1s")...)
	if err := syscall.Kill(r.ranks[1], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if status := r.end(t, 30*time.Second); status != exitFailed {
		t.Errorf("status %d", status)
	}
	if said := r.stderr.String(); !strings.Contains(said, "timed out") || !strings.Contains(said, "rank 1 (pid") {
		t.Errorf("said:\n%s", said)
	}
}
