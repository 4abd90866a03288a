package bench

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// curves is a report whose bandwidths look like a real one's.
func curves(ops ...string) *Report {
	r := NewReport(sampleSetup(4))
	for i, op := range ops {
		for size := 1 << 10; size <= 64<<20; size *= 4 {
			at := func(micros float64) Placement {
				alg := algorithmBandwidth(size, micros)
				return Placement{Time: micros, AlgBW: alg, BusBW: alg * 1.5}
			}
			micros := 40 + float64(size)/float64(2200-300*i)
			r.Add(Result{Size: size, Type: "float32", Op: op, Collective: "allreduce", OutOfPlace: at(micros), InPlace: at(micros * 0.9)})
		}
	}
	return r
}

func TestPlot(t *testing.T) {
	for name, r := range map[string]*Report{"one": curves("sum"), "three": curves("sum", "max", "avg"), "no curve": sampleReport(1), "sparse": sampleReport(4)} {
		var svg, picture bytes.Buffer
		if err := Plot(&svg, r, "svg"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, text := range []string{"bus bandwidth", "message size", "4 ranks", "over tcp"} {
			if r.Config.Ranks == 4 && !strings.Contains(svg.String(), text) {
				t.Errorf("%s: the picture does not say %q", name, text)
			}
		}
		if err := Plot(&picture, r, "png"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if dir := os.Getenv("BENCH_PLOT_DIR"); dir != "" {
			os.WriteFile(dir+"/"+name+".png", picture.Bytes(), 0o644)
		}
		if _, err := png.Decode(&picture); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlotLegendSaysWhatDiffers(t *testing.T) {
	lines := linesOf(curves("sum", "max").Results)
	if len(lines) != 4 || lines[0].name(lines) != "sum out of place" || lines[3].name(lines) != "max in place" {
		t.Errorf("%d lines, first %q", len(lines), lines[0].name(lines))
	}
	lines = linesOf(curves("sum").Results)
	if lines[0].name(lines) != "out of place" {
		t.Errorf("first line %q", lines[0].name(lines))
	}
}

func TestPlotFormat(t *testing.T) {
	for path, want := range map[string]string{"a.svg": "svg", "b/c.PNG": "png", "a": "", "a.jpg": "", "svg": ""} {
		if got, err := PlotFormat(path); got != want || (err == nil) != (want != "") {
			t.Errorf("PlotFormat(%q) = %q, %v", path, got, err)
		}
	}
}

func TestSizeTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) (s []string) {
		for _, t := range ticks {
			if t.Label != "" {
				s = append(s, t.Label)
			}
		}
		return s
	}
	if got := strings.Join(labels(sizeTicks{}.Ticks(1<<10, 1<<13)), " "); got != "1K 2K 4K 8K" {
		t.Error(got)
	}
	if got := labels(sizeTicks{}.Ticks(4, math.Exp2(32))); len(got) < 6 || len(got) > 12 || got[0] != "4" {
		t.Error(got)
	}
}
