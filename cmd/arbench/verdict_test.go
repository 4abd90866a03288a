package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestVerdict(t *testing.T) {
	lost := report{Error: "rank 2 (a): peer lost", During: "allreduce #7"}
	survivor := func(rank int) outcome { return outcome{rank: rank, status: 1, report: lost} }
	stopped := outcome{rank: 1, pid: 5, status: -1, signal: syscall.SIGKILL, stopped: true}
	misuse := outcome{status: 2, report: report{Error: "no", Usage: true}}
	crashed := outcome{rank: 2, pid: 9, status: -1, signal: syscall.SIGSEGV}
	cases := map[string]struct {
		outcomes []outcome
		status   int
		lines    []string
	}{
		"all well": {[]outcome{{rank: 0}, {rank: 1}}, 0, nil},
		"killed": {[]outcome{survivor(0), survivor(1), crashed, survivor(3)}, 1, []string{
			"rank 2 (pid 9) was killed by signal 11 (segmentation fault) during allreduce #7",
			"ranks 0, 1 and 3: rank 2 (a): peer lost"}},
		"misuse": {[]outcome{misuse, stopped}, 2, []string{"no"}},
		"stuck": {[]outcome{survivor(0), stopped}, 1, []string{
			"rank 0: rank 2 (a): peer lost",
			"rank 1 (pid 5) did not end by itself and was stopped"}},
		"panic": {[]outcome{{}, {rank: 1, pid: 5, status: 2}}, 1, []string{
			"rank 1 (pid 5) ended with status 2 and did not say why"}},
	}
	for name, c := range cases {
		v := verdict{outcomes: c.outcomes, interrupted: func() bool { return false }}
		if got := v.lines(); !slices.Equal(got, c.lines) || v.status() != c.status {
			t.Errorf("%s: status %d, %q\nwant %d, %q", name, v.status(), got, c.status, c.lines)
		}
	}
	v := verdict{outcomes: []outcome{survivor(0)}, interrupted: func() bool { return true }}
	if got := v.lines(); len(got) != 1 || got[0] != "interrupted" || v.status() != exitFailed {
		t.Errorf("interrupted: status %d, %q", v.status(), got)
	}
}

func TestPrefixer(t *testing.T) {
	var out strings.Builder
	p := &prefixer{to: &out, prefix: "[rank 1] "}
	for _, piece := range []string{"one\ntw", "o", "\n\nthr", "ee"} {
		if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
	}
	p.flush()
	p.flush()
	if want := "[rank 1] one\n[rank 1] two\n[rank 1] \n[rank 1] three\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}
