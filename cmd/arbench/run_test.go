package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/bench"
)

func TestSmallRun(t *testing.T) {
	for _, transport := range []string{"auto", "shm", "tcp", "inproc"} {
		r := arbench(t, "-np", "2", "-b", "0", "-e", "64K", "-n", "3", "-t", transport)
		if r.status != 0 || r.stderr != "" {
			t.Fatalf("%s: status %d\n%s%s", transport, r.status, r.stdout, r.stderr)
		}
		table := rows(r.stdout)
		if len(table) != 9 || table[0][0] != "0" || table[8][0] != "65536" {
			t.Errorf("%s: rows\n%s", transport, r.stdout)
		}
		for _, row := range table {
			if len(row) != 13 || row[2] != "float32" || row[3] != "sum" || row[4] != "-1" || row[8] != "0" || row[12] != "0" {
				t.Errorf("%s: row %v", transport, row)
			}
		}
		for _, text := range []string{"# ranks: 2 ", "# transport: ", "# algorithm: auto", "# Checked elements     : 87380", "# Out of bounds values : 0 OK", "# Avg bus bandwidth"} {
			if !strings.Contains(r.stdout, text) {
				t.Errorf("%s: the table lacks %q", transport, text)
			}
		}
	}
}

// TestListedSizes measures the sizes that are listed, each within a budget.
func TestListedSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	r := arbench(t, "-np", "2", "--sizes", "4,96,8K", "-n", "1000", "--budget", "1ns", "-J", path)
	if r.status != 0 {
		t.Fatalf("status %d\n%s", r.status, r.stderr)
	}
	results := readJSON(t, path).Results
	if len(results) != 3 || results[0].Size != 4 || results[1].Size != 96 || results[2].Size != 8192 || results[2].Iterations != 3 {
		t.Errorf("results %+v", results)
	}
}

// TestEverything checks each type and operator of each collective.
func TestEverything(t *testing.T) {
	for _, transport := range []string{"tcp", "shm", "inproc"} {
		r := arbench(t, "-np", "3", "-b", "0", "-e", "8K", "-f", "8", "-n", "2", "-w", "1", "-C", "all", "-d", "all", "-o", "all", "-t", transport, "--subchunk", "1K")
		if r.status != 0 || !strings.Contains(r.stdout, "# Out of bounds values : 0 OK") {
			t.Errorf("%s: status %d\n%s%s", transport, r.status, r.stdout, r.stderr)
		}
		if n := len(rows(r.stdout)); n < 400 {
			t.Errorf("%s: only %d rows", transport, n)
		}
	}
}

func TestOneRank(t *testing.T) {
	for _, transport := range []string{"tcp", "inproc"} {
		r := arbench(t, "-np", "1", "-e", "1K", "-C", "all", "-t", transport)
		if r.status != 0 || !strings.Contains(r.stdout, "# Avg bus bandwidth    : -") || rows(r.stdout)[0][7] != "-" {
			t.Errorf("status %d\n%s%s", r.status, r.stdout, r.stderr)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	r := arbench(t, "-np", "2", "-e", "4K", "-n", "3", "-J", name("r.json"), "--csv", name("r.csv"), "--plot", name("r.svg"), "--mode", "latency", "--seed", "7")
	if r.status != 0 {
		t.Fatalf("status %d\n%s", r.status, r.stderr)
	}
	report := readJSON(t, name("r.json"))
	if len(report.Results) != 2 || report.Config.Mode != bench.Latency || report.Config.Seed != 7 || report.Results[0].Transport != "shm" || report.Results[0].Algorithm != "direct" {
		t.Errorf("report %+v", report)
	}
	f, err := os.Open(name("r.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if lines, err := csv.NewReader(f).ReadAll(); err != nil || len(lines) != 3 {
		t.Errorf("csv: %v, %v", lines, err)
	}
	if svg, err := os.ReadFile(name("r.svg")); err != nil || !strings.Contains(string(svg), "bus bandwidth") {
		t.Errorf("svg: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("files: %v", left)
	}
}

func readJSON(t *testing.T, path string) (report bench.Report) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestStandardOutput moves the table out of the document's way.
func TestStandardOutput(t *testing.T) {
	r := arbench(t, "-np", "2", "-e", "1K", "-J", "-")
	var report bench.Report
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.status != 0 || len(rows(r.stderr)) != 1 {
		t.Errorf("status %d, %v\n%s", r.status, err, r.stderr)
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	for _, flag := range []string{"-J", "--csv"} {
		r := arbench(t, "-np", "2", "-e", "1K", flag, "/dev/full")
		if r.status != exitFailed || !strings.Contains(r.stderr, "cannot write /dev/full: ") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s", flag, r.status, r.stderr)
		}
	}
	cmd := command(t, "-np", "2", "-e", "1K")
	cmd.Stdout = full
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("a table that cannot be written: %v", err)
	}
}

func TestMinBusBW(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	r := arbench(t, "-np", "2", "-e", "1K", "--min-busbw", "1e9", "-J", path)
	if r.status != exitFailed || !strings.Contains(r.stderr, "below the 1e+09 that --min-busbw asks for") || readJSON(t, path).AverageBusBandwidth.Okay {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if r := arbench(t, "-np", "2", "-b", "64K", "-e", "64K", "--min-busbw", "1e-9"); r.status != 0 {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}
