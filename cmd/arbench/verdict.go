package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
)

// outcome is how a rank ended.
type outcome struct {
	rank, pid int
	status    int            // exit status; -1 after a signal
	signal    syscall.Signal // that ended it
	stopped   bool           // by us, after another rank had failed
	report    report
}

// verdict turns how the ranks ended into what the user reads.
type verdict struct {
	outcomes    []outcome
	interrupted func() bool // by a signal to arbench
}

// status is arbench's exit status.
func (v *verdict) status() int {
	worst := exitOK
	for _, o := range v.outcomes {
		switch {
		case o.report.Usage:
			return exitUsage
		case o.status != 0:
			worst = exitFailed
		}
	}
	if v.interrupted() {
		worst = exitFailed
	}
	return worst
}

// print writes a line about each failure: what was killed from outside first,
// since that is why the others failed, then what the ranks reported, equal
// reports as one line, then the rest.
func (v *verdict) print(w io.Writer) {
	for _, line := range v.lines() {
		fmt.Fprintf(w, "arbench: %s\n", line)
	}
}

func (v *verdict) lines() []string {
	if v.interrupted() {
		return []string{"interrupted"}
	}
	for _, o := range v.outcomes {
		if o.report.Usage {
			return []string{o.report.Error}
		}
	}
	return slices.Concat(v.killed(), v.reported(), v.silent())
}

// killed tells about ranks that a signal from outside ended.
func (v *verdict) killed() (lines []string) {
	for _, o := range v.outcomes {
		if o.signal == 0 || o.stopped {
			continue
		}
		line := fmt.Sprintf("rank %d (pid %d) was killed by signal %d (%v)", o.rank, o.pid, int(o.signal), o.signal)
		if during := v.during(); during != "" {
			line += " during " + during
		}
		lines = append(lines, line)
	}
	return lines
}

// during is the collective that failed, as the first rank that knows it says.
func (v *verdict) during() string {
	for _, o := range v.outcomes {
		if o.report.During != "" {
			return o.report.During
		}
	}
	return ""
}

// reported gives each distinct report one line.
func (v *verdict) reported() (lines []string) {
	var texts []string
	ranks := map[string][]int{}
	for _, o := range v.outcomes {
		if text := o.report.Error; text != "" {
			if ranks[text] == nil {
				texts = append(texts, text)
			}
			ranks[text] = append(ranks[text], o.rank)
		}
	}
	for _, text := range texts {
		lines = append(lines, fmt.Sprintf("%s: %s", ranksNamed(ranks[text]), text))
	}
	return lines
}

// silent tells about ranks that failed and did not say why.
func (v *verdict) silent() (lines []string) {
	for _, o := range v.outcomes {
		switch {
		case o.report.Error != "":
		case o.stopped && o.status != 0:
			lines = append(lines, fmt.Sprintf("rank %d (pid %d) did not end by itself and was stopped", o.rank, o.pid))
		case o.status > 0:
			lines = append(lines, fmt.Sprintf("rank %d (pid %d) ended with status %d and did not say why", o.rank, o.pid, o.status))
		}
	}
	return lines
}

// ranksNamed writes "rank 2" or "ranks 0, 1 and 3".
func ranksNamed(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	var names []string
	for _, r := range ranks {
		names = append(names, fmt.Sprint(r))
	}
	last := len(names) - 1
	return "ranks " + strings.Join(names[:last], ", ") + " and " + names[last]
}
