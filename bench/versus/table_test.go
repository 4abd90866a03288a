package versus

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/sample.md")

func TestReportGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	var s samples
	if err := s.read(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, s, "ringo", "allreduce float32 sum"); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/sample.md", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// The figures of the sample, worked out by hand.
func TestPairing(t *testing.T) {
	var s samples
	f, err := os.Open("testdata/sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.read(f); err != nil {
		t.Fatal(err)
	}
	own := cell{"ringo", "tcp", 2, 1 << 20}
	if got := s.overall(own); got != 110 {
		t.Errorf("ringo 1M: median %v, want 110", got)
	}
	c, ok := s.best("gloo", 2, 1<<20)
	if !ok || c.Config != "halving_doubling" {
		t.Errorf("best gloo at 1M: %+v", c)
	}
	if c, _ := s.best("gloo", 2, 4<<20); c.Config != "new_ring" {
		t.Errorf("best gloo at 4M: %+v", c)
	}
	if got, want := spread(s.ratios(c, own), 3), "x2.18 [1.30–2.50]"; got != want {
		t.Errorf("gloo/ringo 1M: %s, want %s", got, want)
	}
	ompi := cell{"openmpi", "tcp", 2, 1 << 20}
	if got, want := spread(s.ratios(ompi, own), 3), "x1.57 [1.55–1.60] n=2"; got != want {
		t.Errorf("a round with wrong elements must not count: %s, want %s", got, want)
	}
	if len(s.wrong) != 1 || len(s.failed) != 1 {
		t.Errorf("left out: %d wrong, %d failed; want 1 and 1", len(s.wrong), len(s.failed))
	}
}

func TestConvert(t *testing.T) {
	const text = `{"results":[{"size":1048576,"actual_iterations":17,"ranks":2,"in_place":{"time":101,"nwrong":0},"min_us":90.25,"p50_us":100.5,"p99_us":130,"cpu_us":7},
		{"size":4194304,"in_place":{"time":1,"nwrong":"3"},"min_us":900,"p50_us":950,"p99_us":1100}]}`
	var out bytes.Buffer
	if err := convert(strings.NewReader(text), &out, row{Library: "ringo", Config: "x", Ranks: 2, Iters: 20}); err != nil {
		t.Fatal(err)
	}
	want := "ringo,x,2,1048576,17,90.25,100.50,130.00,0,101.00,7.00\nringo,x,2,4194304,20,900.00,950.00,1100.00,3,1.00,0.00\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestConvertRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"not checked": `{"results":[{"size":4,"in_place":{"time":1,"nwrong":"N/A"},"p50_us":1}]}`,
		"no check":    `{"results":[{"size":4,"in_place":{"time":1},"p50_us":1}]}`,
		"no median":   `{"results":[{"size":4,"in_place":{"time":1,"nwrong":0}}]}`,
		"other ranks": `{"results":[{"size":4,"ranks":8,"in_place":{"time":1,"nwrong":0},"p50_us":1}]}`,
		"no results":  `{"results":[]}`,
		"errors":      `{"results":[],"errors":["rank 1 is gone"]}`,
		"cut short":   `{"results":[{"size":4,`,
	} {
		if err := convert(strings.NewReader(text), &bytes.Buffer{}, row{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, line := range []string{"A.0,0,gloo,ring,2,4", "A.0,0,gloo,ring,2,4,1,1,x,1,0,1,1", "A.0,0,gloo,ring,2,4,1,1,0,1,0,1,1"} {
		var s samples
		if err := s.read(strings.NewReader(line)); err == nil {
			t.Errorf("accepted %q", line)
		}
	}
}

// A file without a single row is a mistake, not an empty table.
func TestEmptyIsAnError(t *testing.T) {
	var s samples
	if err := s.read(strings.NewReader("# run A\n")); err != nil {
		t.Fatal(err)
	}
	if err := write(&bytes.Buffer{}, s, "ringo", ""); err == nil {
		t.Error("an empty file made a report")
	}
}
