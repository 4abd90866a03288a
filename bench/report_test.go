package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/reduce"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run go test -update and look at the difference)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

func sampleSetup(ranks int) Setup {
	hosts := []string{"alpha", "beta", "alpha", "beta"}[:ranks]
	return Setup{
		Program: "arbench 1.2.3", Library: "0.1.0", Go: "go1.26.0 linux/amd64", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Ranks: ranks, Hosts: hosts, Transport: "tcp", Why: "best that all ranks offer", Algorithm: "ring",
		SubChunk: 256 << 10, Depth: 4, Conns: 1, Mode: Throughput, MinBytes: 0, MaxBytes: 128 << 20, Factor: 4,
		Iterations: 20, WarmUp: 5, Check: true, Seed: 1, Units: ReportUnits,
	}
}

// sampleReport has one row of each odd kind.
func sampleReport(ranks int) *Report {
	r := NewReport(sampleSetup(ranks))
	add := func(collective Collective, size int, typ, op string, micros float64, wrong *int64) {
		place := func(micros float64) Placement {
			alg := algorithmBandwidth(size, micros)
			return Placement{Time: micros, AlgBW: alg, BusBW: alg * Bandwidth(collective.BusFactor(ranks)), NWrong: wrong}
		}
		r.Add(Result{
			Size: size, Count: size / 4, Type: typ, Op: op, Root: -1, OutOfPlace: place(micros), InPlace: place(micros / 2),
			Iterations: 20, Collective: string(collective), Ranks: ranks, Transport: "tcp", Algorithm: "ring", Mode: Throughput,
			Quantiles: Quantiles{Min: micros / 4, P50: micros / 2, P95: micros, P99: micros, Max: 2 * micros}, Checked: int64(size) / 2,
		})
	}
	none, some := int64(0), int64(7)
	add(AllReduce, 0, "float32", "sum", 31.25, &none)
	add(AllReduce, 4096, "float32", "sum", 101.5, &none)
	add(AllReduce, 1<<20, "bfloat16", "prod", 812.345, &some)
	add(AllReduce, 128<<20, "float32", "sum", 123456.7, nil)
	add(Barrier, 0, "none", "none", 44, nil)
	return r
}

func printed(r *Report) []byte {
	var out bytes.Buffer
	table := NewTable(&out)
	table.Header(r.Config)
	last := ""
	for _, row := range r.Results {
		if row.Collective != last {
			table.Title(Collective(row.Collective))
			last = row.Collective
		}
		table.Row(row)
	}
	table.Footer(r)
	return out.Bytes()
}

func TestTable(t *testing.T) {
	golden(t, "table.txt", printed(sampleReport(4)))
	golden(t, "table1.txt", printed(sampleReport(1)))
}

// TestTableColumns reads rows the way scripts do.
func TestTableColumns(t *testing.T) {
	for line := range strings.Lines(string(printed(sampleReport(4)))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if n := len(strings.Fields(line)); n != 13 {
			t.Errorf("%d columns in %q", n, line)
		}
	}
}

func TestTableReportsFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	table := NewTable(full)
	table.Row(Result{})
	if table.Err() == nil {
		t.Error("a full disk went unnoticed")
	}
}

func TestJSON(t *testing.T) {
	for name, ranks := range map[string]int{"report.json": 4, "report1.json": 1} {
		var out bytes.Buffer
		if err := WriteJSON(&out, sampleReport(ranks)); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
		var back Report
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := WriteJSON(&again, &back); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Errorf("%s does not survive reading and writing: %v\n%s", name, err, again.Bytes())
		}
	}
}

// TestJSONNames holds the names that scripts rely on.
func TestJSONNames(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, sampleReport(2)); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	has(t, doc, "schema_version", "config", "results", "average_bus_bandwidth", "out_of_bounds", "errors")
	row := doc["results"].([]any)[1].(map[string]any)
	has(t, row, "size", "count", "type", "redop", "root", "out_of_place", "in_place", "actual_iterations",
		"collective", "ranks", "transport", "algorithm", "mode", "min_us", "p50_us", "p95_us", "p99_us", "max_us")
	has(t, row["in_place"].(map[string]any), "time", "alg_bw", "bus_bw", "nwrong")
	has(t, doc["average_bus_bandwidth"].(map[string]any), "bandwidth", "okay")
}

func has(t *testing.T, object map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := object[name]; !ok {
			t.Errorf("%q is missing in %v", name, object)
		}
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := WriteCSV(&out, sampleReport(4)); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.csv", out.Bytes())
}

func TestReportSums(t *testing.T) {
	r := sampleReport(4)
	if r.OutOfBounds.Count != 14 || r.OutOfBounds.Okay {
		t.Errorf("out of bounds: %+v", r.OutOfBounds)
	}
	if r.Checked() != (4096+1<<20+128<<20)/2 {
		t.Errorf("checked %d", r.Checked())
	}
	low := r.Results[3].OutOfPlace.BusBW
	if got := r.LargestBusBW(); got != low {
		t.Errorf("bus bandwidth at the largest size %v; want %v", got, low)
	}
	if !r.Require(low) || r.Require(low+0.001) || r.AverageBusBandwidth.Okay {
		t.Error("the required bandwidth is compared wrongly")
	}
	if sampleReport(1).Require(0.001) {
		t.Error("one rank has no bus bandwidth, but enough of it")
	}
}

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 1.006: "1.01", 123.456: "123.46", 1234.56: "1234.6", 123456: "123456", 1234567: "1.2e+06"} {
		if got := formatNumber(v, 6); got != want {
			t.Errorf("%v: %q; want %q", v, got, want)
		}
	}
}

// TestLargestPerSeries: collectives round sizes differently, and the worst of
// their last rows counts.
func TestLargestPerSeries(t *testing.T) {
	row := func(collective string, size int, bw Bandwidth) Result {
		return Result{Collective: collective, Size: size, OutOfPlace: Placement{BusBW: bw}, InPlace: Placement{BusBW: bw}}
	}
	r := Report{Results: []Result{row("allreduce", 10, 1), row("allreduce", 64, 9), row("reducescatter", 10, 1), row("reducescatter", 60, 2), row("barrier", 0, 0)}}
	if got := r.LargestBusBW(); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
	if r.Require(5) || !r.Require(2) {
		t.Error("Require does not follow")
	}
}

func TestExactIterations(t *testing.T) {
	c := Config{Iterations: 7, WarmUp: 3, Exact: true}
	big := point{typ: reduce.Float32, total: 1 << 28}
	if timed, warmUp := c.iterations(big); timed != 7 || warmUp != 3 {
		t.Errorf("asked for 7 and 3, got %d and %d", timed, warmUp)
	}
	c.Exact = false
	if timed, _ := c.iterations(big); timed >= 7 {
		t.Errorf("%d iterations at 1 GiB", timed)
	}
}
