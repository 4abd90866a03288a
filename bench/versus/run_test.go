package versus

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// shell is a side that is a shell script.
func shell(library, config, script string) Command {
	return Command{Library: library, Config: config, Args: []string{"sh", "-c", script}}
}

const ownJSON = `echo '{"results":[{"size":4,"actual_iterations":9,"ranks":2,"in_place":{"time":2,"nwrong":0},"min_us":1,"p50_us":2,"p99_us":3,"cpu_us":4}]}'`

// TestRun: peers that fail, hang, print nonsense or are missing are named, and the
// others compared.
func TestRun(t *testing.T) {
	own := shell(Subject, "registered", ownJSON)
	own.Format = Arbench
	late := shell("gloo", "late", "echo gloo,late,2,4,9,5,60,70,0,60,60; exit 1")
	late.Rows = 1
	missing := shell("nccl", "nccl-tests", "")
	missing.Missing = "buy a GPU"
	var notes []string
	r, err := Run(context.Background(), Config{
		Jobs: []Job{{Ranks: 2, Transport: "tcp", Collective: "allreduce", Type: "float32"}}, Rounds: 3, Limit: time.Minute,
		Commands: func(Job) []Command {
			return []Command{own,
				shell("gloo", "new_ring", "echo gloo,new_ring,2,4,9,5,6,7,0,6,6"),
				shell("openmpi", "crashes", "echo openmpi,crashes,2,4,9,5,8,9,0,8,8; echo no luck >&2; exit 3"),
				shell("baidu", "talks", "echo hello"),
				shell("baidu", "others", "echo baidu,others,3,4,9,5,6,7,0,6,6"),
				late,
				shell("gloo", "wrong", "echo gloo,wrong,2,4,9,1,1,1,5,1,1"),
				missing}
		},
		Note: func(line string) { notes = append(notes, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if err := r.Report(&report); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"not installed: nccl: buy a GPU", "| 4 | 2 |", "6 new_ring | x3.00 [3.00–3.00]", "8 crashes | x4.00", "x3.00 [3.00–3.00] | ahead",
		"openmpi crashes: exit status 3: no luck", `baidu talks: printed "hello`, `baidu others: printed "baidu,others,3`, "gloo wrong, P = 2, 4, round 0: 5 wrong elements",
	} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, report.String())
		}
	}
	if len(notes) != 21 {
		t.Errorf("%d notes of 7 commands in 3 rounds", len(notes))
	}
	if strings.Contains(report.String(), "failed: round 1 ranks 2 gloo late") {
		t.Errorf("a peer that had printed all its rows counts as failed:\n%s", report.String())
	}
	for name, write := range map[string]func() error{
		"json": func() error { return r.JSON(&report) }, "csv": func() error { return r.Raw(&report) },
		"svg": func() error { return r.Plot(&report, "svg") },
	} {
		if err := write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHang: a peer that hangs is ended and named.
func TestHang(t *testing.T) {
	r, err := Run(context.Background(), Config{Jobs: []Job{{Ranks: 2}}, Rounds: 1, Limit: time.Second, Note: func(string) {},
		Commands: func(Job) []Command {
			return []Command{shell("mpich", "hangs", "sleep 600 & sleep 600")}
		}})
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	if err := r.Report(&report); err != nil || !strings.Contains(report.String(), "mpich hangs: ended after 1s") {
		t.Errorf("%v\n%s", err, report.String())
	}
}

// TestOrderTurns: every side is first, last and in between.
func TestOrderTurns(t *testing.T) {
	const n = 4
	first := map[int]bool{}
	for round := range 2 * n {
		seen := map[int]bool{}
		for k := range n {
			seen[position(k, round, n)] = true
		}
		if len(seen) != n {
			t.Errorf("round %d runs %v", round, seen)
		}
		first[position(0, round, n)] = true
	}
	if len(first) != n {
		t.Errorf("only %v come first", first)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	first := shell("gloo", "x", "echo gloo,x,2,4,9,5,6,7,0,6,6")
	r, err := Run(ctx, Config{Jobs: []Job{{Ranks: 2}}, Rounds: 1, Limit: time.Minute,
		Commands: func(Job) []Command { return []Command{first, shell("gloo", "y", "sleep 600")} },
		Note:     func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var report bytes.Buffer
	if err := r.Report(&report); err != nil || !strings.Contains(report.String(), "6 x") {
		t.Errorf("what was measured until then is lost: %v\n%s", err, report.String())
	}
}

// TestSettings: every peer has a command for what it can do, and it names the job.
func TestSettings(t *testing.T) {
	s := Sides{Arbench: "arbench", Bin: t.TempDir(), Peers: Peers(), Memory: []string{"registered", "ordinary"}}
	for _, transport := range []string{"shm", "tcp"} {
		for _, collective := range []string{"allreduce", "allgather", "broadcast", "reducescatter"} {
			j := Job{Ranks: 4, Transport: transport, Collective: collective, Type: "float32", Sizes: []int{4, 1 << 20}, Rewrite: true}
			libraries := map[string]bool{}
			for _, c := range s.Commands(j) {
				libraries[c.Library] = true
				line := strings.Join(c.Args, " ")
				if c.Library != "nccl" && (!strings.Contains(line, collective) || !strings.Contains(line, " 4") && !strings.Contains(line, "1048576") || !strings.Contains(line, "--rewrite")) {
					t.Errorf("%v: %s", c, line)
				}
				if c.Library != Subject && c.Missing == "" {
					t.Errorf("%v is not installed in an empty directory", c)
				}
			}
			if !libraries["openmpi"] || !libraries["mpich"] || !libraries[Subject] {
				t.Errorf("%s over %s is compared with %v", collective, transport, libraries)
			}
		}
	}
}
