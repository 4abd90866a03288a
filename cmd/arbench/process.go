package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// process is a rank that runs as a process of its own process group.
type process struct {
	rank   int
	cmd    *exec.Cmd
	report *os.File
	stderr *prefixer // nil for rank 0, whose standard error is ours

	mu      sync.Mutex
	over    bool // it has been waited for: its number may be another's by now
	stopped bool // by kill
}

// startProcess runs this program again as rank, with env added to the
// environment. Rank 0's standard output is ours; the other ranks have none.
func startProcess(args []string, rank int, env []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer to.Close()
	p := &process{rank: rank, report: from, cmd: exec.Command(self, args...)}
	p.cmd.Env = append(append(os.Environ(), env...), reportVariable+"=3")
	p.cmd.ExtraFiles = []*os.File{to}
	p.cmd.SysProcAttr = processAttributes()
	p.cmd.Stderr = os.Stderr
	if rank == 0 {
		p.cmd.Stdout = os.Stdout
	} else {
		p.stderr = &prefixer{to: os.Stderr, prefix: fmt.Sprintf("[rank %d] ", rank)}
		p.cmd.Stderr = p.stderr
	}
	if err := p.cmd.Start(); err != nil {
		from.Close()
		return nil, err
	}
	return p, nil
}

// wait returns how the process ended.
func (p *process) wait() outcome {
	o := outcome{rank: p.rank, pid: p.cmd.Process.Pid, report: readReport(p.report)}
	p.report.Close()
	_ = p.cmd.Wait() // the state says more
	if p.stderr != nil {
		p.stderr.flush()
	}
	o.status = p.cmd.ProcessState.ExitCode()
	if s, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		o.signal = s.Signal()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	o.stopped = p.stopped
	return o
}

// interrupt asks the process to end.
func (p *process) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal(syscall.SIGTERM)
}

// kill ends the process and what it may have started.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.signal(syscall.SIGKILL)
}

// signal sends s to the process group; p.mu is held. An error means that the
// process has just ended.
func (p *process) signal(s syscall.Signal) {
	if !p.over {
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}
