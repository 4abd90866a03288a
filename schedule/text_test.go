package schedule

import (
	"encoding"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

var (
	_ encoding.TextAppender  = Plan{}
	_ encoding.TextMarshaler = Plan{}
)

// golden are the plans whose texts lie in testdata.
func golden(t testing.TB) map[string]Plan {
	permuted, err := Permute(Ring(4), []int{0, 2, 1, 3})
	scattered, err2 := Permute(RingReduceScatter(4), []int{0, 2, 1, 3})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return map[string]Plan{
		"ring-1": Ring(1), "ring-2": Ring(2), "ring-3": Ring(3),
		"ring-4": Ring(4), "ring-5": Ring(5), "ring-8": Ring(8),
		"ring-4-permuted":               permuted,
		"ring-reducescatter-4":          RingReduceScatter(4),
		"ring-reducescatter-4-permuted": scattered,
		"ring-allgather-4":              RingAllGather(4),
		"chain-4":                       Chain(4),
		"chain-reducescatter-4":         ChainReduceScatter(4),
		"flat-3":                        Flat(3), "flat-broadcast-3": FlatBroadcast(3, 1), "exchange-3": Exchange(3), "exchange-4": Exchange(4),
		"doubling-4": Doubling(4), "doubling-allgather-4": DoublingAllGather(4), "doubling-5": Doubling(5), "halving-4": Halving(4), "halving-6": Halving(6),
		"direct-1": Direct(1), "direct-2": Direct(2), "direct-3": Direct(3), "direct-pull-3": DirectPull(3),
		"direct-reducescatter-3": DirectReduceScatter(3), "direct-allgather-3": DirectAllGather(3),
		"direct-broadcast-3": DirectBroadcast(3, 2), "binomial-6": BinomialBroadcast(6, 1), "scatter-4": ScatterBroadcast(4, 2),
		"hierarchical-2+1": must(Hierarchical([][]int{{0, 1}, {2}})), "hierarchical-2+2": must(Hierarchical([][]int{{0, 2}, {1, 3}})),
		"hierarchical-ordered-2+3": must(HierarchicalOrdered([][]int{{0, 1}, {2, 3, 4}})),
	}
}

// TestGolden compares the plans with the files that people read and other
// programs may keep.
func TestGolden(t *testing.T) {
	for name, p := range golden(t) {
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(p.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != p.String() {
			t.Errorf("%s holds another plan; run with -update if that is meant:\n%v", file, p)
		}
		if q, err := Parse(text); err != nil || !reflect.DeepEqual(p, q) {
			t.Errorf("%s: %v\n%v", file, err, q)
		}
		if err := Check(p); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for n := 1; n <= 20; n++ {
		for _, make := range constructors {
			p, err := Permute(make(n), rng.Perm(n))
			if err != nil {
				t.Fatal(err)
			}
			text, err := p.MarshalText()
			if err != nil || string(text) != p.String() {
				t.Fatalf("%v\n%s\n%v", err, text, p)
			}
			if q, err := Parse(text); err != nil || !reflect.DeepEqual(p, q) {
				t.Fatalf("%v\n%v", err, q)
			}
		}
	}
}

func TestMarshalRefuses(t *testing.T) {
	p := Ring(2)
	p.Name = "x\nrank 0"
	if text, err := p.MarshalText(); err == nil {
		t.Errorf("%q", text)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{AllReduce.String(), "allreduce"},
		{ReduceScatter.String(), "reducescatter"},
		{AllGather.String(), "allgather"},
		{Collective(9).String(), "schedule.Collective(9)"},
		{Op(99).String(), "schedule.Op(99)"},
		{Broadcast.String(), "broadcast"},
		{Step{Signal, -1, 3, 4}.String(), "signal 3"},
		{Step{Await, 2, 3, 4}.String(), "await 3 from 2"},
		{Step{Put, 2, 0, 4}.String(), "put 0:4 to 2"},
		{Step{Store, -1, 0, 4}.String(), "store 0:4"},
		{Step{Send, 1, 2, 3}.String(), "send 2:3 to 1"},
		{Step{RecvReduce, 0, 0, 4}.String(), "recvreduce 0:4 from 0"},
		{Step{Finish, -1, 1, 2}.String(), "finish 1:2"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, not %q", tt.got, tt.want)
		}
	}
	if _, err := ParseCollective("alltoall"); err == nil {
		t.Error("alltoall is no collective here")
	}
}

func TestParseRefuses(t *testing.T) {
	const v, head = "ringo schedule 1\n", "ringo schedule 1\nallreduce x ranks 2 chunks 2\n"
	for _, tt := range []struct{ text, want string }{
		{"", "line 1: the text ends early"},
		{"ringo schedule 1", `line 1: the line "ringo schedule 1" has no end`},
		{"ringo schedule 2\n", `line 1: "ringo schedule 2" is not "ringo schedule 1"`},
		{v, "line 2: the text ends early"},
		{v + "broadcast x ranks 2 chunks 2\n", `line 2: "broadcast x ranks 2 chunks 2" is not "COLLECTIVE`},
		{v + "allreduce x ranks 02 chunks 2\n", "line 2: \"allreduce x ranks 02 chunks 2\" is not"},
		{v + "allreduce x ranks 2 chunks +2\n", "line 2: \"allreduce x ranks 2 chunks +2\" is not"},
		{v + "allreduce x ranks 2 chunks 2 \n", "line 2: \"allreduce x ranks 2 chunks 2 \" is not"},
		{v + "allreduce x ranks 2 chunks 9999999999\n", "line 2: \"allreduce x ranks 2 chunks 9999999999\" is not"},
		{v + "allreduce x ranks 65537 chunks 2\n", "line 2: 65537 ranks are not in 1..65536"},
		{v + "allreduce x ranks 2 chunks 1048577\n", "line 2: 1048577 chunks are not in 1..1048576"},
		{v + "allreduce x y ranks 2 chunks 2\n", `line 2: name "x y" is not one word`},
		{v + "allreduce " + strings.Repeat("x", 65) + " ranks 2 chunks 2\n", "line 2: name "},
		{head, "line 2: the text ends after 0 of 2 ranks"},
		{head + "rank 0\n", "line 3: the text ends after 1 of 2 ranks"},
		{head + "rank 1\n", "line 3: rank 1 stands where rank 0 should"},
		{head + "rank 0\nrank 1\nrank 2\n", "line 5: rank 2 is not one of the 2 ranks"},
		{head + "rank x\n", `line 3: "rank x" is neither "rank N" nor an indented step`},
		{head + "\n", `line 3: "" is neither`},
		{head + "  finish 0:1\n", "line 3: a step stands before the first rank"},
		{head + "rank 0\n  finish 0:1", `line 4: the line "  finish 0:1" has no end`},
		{head + "rank 0\n  finish 0:1 \n", `line 4: "finish 0:1 " is not a step`},
		{head + "rank 0\n  finish 0:1\r\n", `line 4: "finish 0:1\r" is not a step`},
		{head + "rank 0\n  send 0:1\n", `line 4: "send 0:1" is not a step`},
		{head + "rank 0\n  send 0:1 from 1\n", `line 4: "send 0:1 from 1" is not a step`},
		{head + "rank 0\n  recv 0:1 to 1\n", `line 4: "recv 0:1 to 1" is not a step`},
		{head + "rank 0\n  recv :1 from 1\n", `line 4: "recv :1 from 1" is not a step`},
		{head + "rank 0\n  shout 0:1 to 1\n", `line 4: "shout 0:1 to 1" is not a step`},
		{head + "rank 0\n  send 0:1 to 0\n", "line 4: send 0:1 to 0: the peer is the rank itself"},
		{head + "rank 0\n  send 1:3 to 1\n", "line 4: send 1:3 to 1: chunks 1:3 leave the plan's 2 chunks"},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.HasPrefix(err.Error(), "schedule: "+tt.want) {
			t.Errorf("%q: %v, not %s", tt.text, err, tt.want)
		}
	}
}

// TestParseIsFrugal parses a short text that announces a large plan.
func TestParseIsFrugal(t *testing.T) {
	text := []byte("ringo schedule 1\nallreduce x ranks 65536 chunks 1048576\nrank 0\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Parse(text); err == nil {
		t.Error("a plan of one rank passed for 65536")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("%d bytes of text took %d bytes of memory", len(text), n)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range golden(f) {
		f.Add([]byte(p.String()))
	}
	f.Add([]byte("ringo schedule 1\nallgather x ranks 1 chunks 1\nrank 0\n"))
	f.Add([]byte("ringo schedule 1\nallreduce x ranks 2 chunks 9\nrank 0\n  send 0:9 to 1\nrank 1\n  recv 0:9 from 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		if p.String() != string(text) {
			t.Fatalf("%q was written back as %q", text, p.String())
		}
		steps := 0
		for _, s := range p.Steps {
			steps += len(s)
		}
		if p.Ranks > 64 || p.Chunks > 64 || steps > 1000 {
			return
		}
		_, _, _ = Check(p), RankOrdered(p), InRankOrder(p)
		if p.Ranks > 8 || steps > 40 { // the toy's texts can double with every step
			return
		}
		if p.accumulates() || p.isDirect() || p.Collective == Broadcast { // the toy knows none of these
			return
		}
		new(tally).compare(t, p, rand.New(rand.NewPCG(10, 11)))
	})
}
