package bench

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/reduce"
)

// record is a Watcher that remembers.
type record struct {
	begun []Collective
	ticks int
	rows  []Result
}

func (r *record) Begin(c Collective) { r.begun = append(r.begun, c) }
func (r *record) Iteration()         { r.ticks++ }
func (r *record) Row(row Result)     { r.rows = append(r.rows, row) }

// everything measures all that there is, quickly.
func everything() Config {
	return Config{
		Collectives: Collectives(), Types: reduce.Types(), Ops: reduce.Ops(),
		Sizes: Sizes{First: 0, Last: 1 << 12, Factor: 4}, Iterations: 3, WarmUp: 1, Check: true, Mode: Throughput, Seed: 1,
	}
}

// measure runs c on w and returns what rank 0 saw and each rank's wrong elements.
func measure(t *testing.T, w *fakeWorld, c Config) (*record, []int64) {
	t.Helper()
	seen := make([]*record, w.ranks)
	wrong := make([]int64, w.ranks)
	w.run(t, func(g Group) (err error) {
		seen[g.Rank()] = &record{}
		wrong[g.Rank()], err = Run(context.Background(), g, c, seen[g.Rank()], slog.New(slog.NewTextHandler(io.Discard, nil)))
		return err
	})
	return seen[0], wrong
}

func TestRunEverything(t *testing.T) {
	for _, mode := range []Mode{Throughput, Latency} {
		for _, ranks := range []int{1, 2, 3, 5} {
			c := everything()
			c.Mode = mode
			seen, wrong := measure(t, newFakeWorld(ranks), c)
			if len(seen.begun) != len(c.Collectives) || len(seen.rows) != len(c.points(ranks)) {
				t.Errorf("%d ranks: %d collectives, %d rows", ranks, len(seen.begun), len(seen.rows))
			}
			if seen.ticks != c.Steps(ranks) {
				t.Errorf("%d iterations were told, %d announced", seen.ticks, c.Steps(ranks))
			}
			for _, row := range seen.rows {
				checkRow(t, row, ranks)
			}
			for rank, n := range wrong {
				if n != 0 {
					t.Errorf("rank %d of %d has %d wrong elements", rank, ranks, n)
				}
			}
		}
	}
}

func checkRow(t *testing.T, row Result, ranks int) {
	t.Helper()
	if row.InPlace.Time <= 0 || row.OutOfPlace.Time <= 0 || row.Min > row.P50 || row.P50 > row.P99 || row.P99 > row.Max {
		t.Errorf("times of %+v", row)
	}
	if row.Collective == string(Barrier) {
		if row.InPlace.NWrong != nil || row.Checked != 0 {
			t.Errorf("a barrier checked elements: %+v", row)
		}
		return
	}
	if row.InPlace.Wrong() != 0 || row.OutOfPlace.Wrong() != 0 {
		t.Errorf("wrong elements in %+v", row)
	}
	elements := int64(row.Count * ranks) // of all ranks' results together, per placement
	if row.Collective == string(AllGather) {
		elements *= int64(ranks)
	}
	if row.Checked != 2*elements {
		t.Errorf("%s size %d: %d elements checked, want %d", row.Collective, row.Size, row.Checked, 2*elements)
	}
}

// TestRunFindsOneWrongElement spoils one bit of one rank's result in each call.
func TestRunFindsOneWrongElement(t *testing.T) {
	for _, collective := range []Collective{AllReduce, ReduceScatter, AllGather} {
		c := everything()
		c.Collectives = []Collective{collective}
		c.Types, c.Ops = []reduce.Type{reduce.Int32}, []reduce.Op{reduce.Sum}
		c.Sizes = Sizes{First: 240, Last: 240, Factor: 2}
		w := newFakeWorld(3)
		w.spoil = func(_, rank int, r allreduce.Request) {
			if rank == 1 && r.Type == reduce.Int32 {
				r.Dst.Bytes()[r.Dst.Len()-1] ^= 0x10
			}
		}
		seen, wrong := measure(t, w, c)
		row := seen.rows[0]
		if row.OutOfPlace.Wrong() != 1 || row.InPlace.Wrong() != 1 {
			t.Errorf("%s: %d and %d wrong; want 1 and 1", collective, row.OutOfPlace.Wrong(), row.InPlace.Wrong())
		}
		if wrong[0] != 0 || wrong[1] != 2 {
			t.Errorf("%s: by rank %v", collective, wrong)
		}
	}
}

// TestRunFindsWhatWasNeverWritten has calls that do nothing after the first few,
// which left right results for other data.
func TestRunFindsWhatWasNeverWritten(t *testing.T) {
	for _, typ := range []reduce.Type{reduce.F16, reduce.BF16, reduce.Int32} {
		c := everything()
		c.Collectives, c.Types, c.Ops = []Collective{AllReduce}, []reduce.Type{typ}, []reduce.Op{reduce.Max}
		c.Sizes = Sizes{First: 4096, Last: 4096, Factor: 2}
		w := newFakeWorld(2)
		w.spoil = func(round, _ int, _ allreduce.Request) { w.lazy = round >= 3 }
		seen, _ := measure(t, w, c)
		if row := seen.rows[0]; row.OutOfPlace.Wrong() != 2*int64(row.Count) {
			t.Errorf("%v: %d wrong elements of %d", typ, row.OutOfPlace.Wrong(), 2*row.Count)
		}
	}
}

// TestRunFindsChangedInput scribbles on the source of out-of-place calls.
func TestRunFindsChangedInput(t *testing.T) {
	c := everything()
	c.Collectives, c.Types, c.Ops = []Collective{AllReduce}, []reduce.Type{reduce.Float32}, []reduce.Op{reduce.Max}
	c.Sizes = Sizes{First: 64, Last: 64, Factor: 2}
	w := newFakeWorld(2)
	var out strings.Builder
	w.spoil = func(_, rank int, r allreduce.Request) {
		if rank == 0 && r.Type == reduce.Float32 && &r.Src.Bytes()[0] != &r.Dst.Bytes()[0] {
			r.Src.Bytes()[5] ^= 1
		}
	}
	w.run(t, func(g Group) error {
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		if g.Rank() == 0 {
			log = slog.New(slog.NewTextHandler(&out, nil))
		}
		_, err := Run(context.Background(), g, c, &record{}, log)
		return err
	})
	if !strings.Contains(out.String(), "the input was changed: element 1 ") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("log: %s", out.String())
	}
}

func TestPointsRoundDown(t *testing.T) {
	c := Config{
		Collectives: []Collective{AllReduce, ReduceScatter, AllGather, Barrier}, Types: []reduce.Type{reduce.Float64},
		Ops: []reduce.Op{reduce.Sum, reduce.Max}, Sizes: Sizes{First: 0, Last: 100, Factor: 5}, // 0 4 20 100
	}
	var got []string
	for _, p := range c.points(3) {
		got = append(got, strings.Join([]string{string(p.collective), p.opName(), FormatSize(p.bytes()), FormatSize(p.count(3))}, " "))
	}
	want := "allreduce sum 0 0,allreduce sum 16 2,allreduce sum 96 12,allreduce max 0 0,allreduce max 16 2,allreduce max 96 12," +
		"reducescatter sum 0 0,reducescatter sum 96 4,reducescatter max 0 0,reducescatter max 96 4,allgather none 0 0,allgather none 96 4,barrier none 0 0"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
}

func TestFewerIterationsAbove64M(t *testing.T) {
	for size, want := range map[int]int{0: 20, 64 << 20: 20, 128 << 20: 10, 3 << 30: 2} {
		if got := scaled(20, size, 2); got != want {
			t.Errorf("%s: %d iterations; want %d", FormatSize(size), got, want)
		}
	}
	if scaled(1, 1<<40, 2) != 1 || scaled(0, 1<<40, 1) != 0 {
		t.Error("more iterations than asked for")
	}
}
