package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// constructors are all of them.
var constructors = []func(int) Plan{Ring, RingReduceScatter, RingAllGather, Chain, ChainReduceScatter}

func TestConstructorsAreRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 64; n++ {
		backwards := make([]int, n)
		for i := range backwards {
			backwards[i] = n - 1 - i
		}
		for _, make := range constructors {
			p := make(n)
			if err := Check(p); err != nil {
				t.Fatalf("%v %s of %d: %v", p.Collective, p.Name, n, err)
			}
			for _, order := range [][]int{backwards, rng.Perm(n)} {
				q, err := Permute(p, order)
				if err == nil {
					err = Check(q)
				}
				if err != nil {
					t.Fatalf("%v %s of %d in order %v: %v", p.Collective, p.Name, n, order, err)
				}
			}
		}
	}
}

// TestAnyOrder runs plans in many orders; the results must be the same text.
func TestAnyOrder(t *testing.T) {
	for _, make := range constructors {
		p := make(5)
		want := ""
		for seed := range uint64(20) {
			held, err := interpret(p, rand.New(rand.NewPCG(seed, 3)))
			if err != nil {
				t.Fatalf("%v %s: %v", p.Collective, p.Name, err)
			}
			if got := fmt.Sprint(held); want == "" {
				want = got
			} else if got != want {
				t.Fatalf("%v %s: %s in one order, %s in another", p.Collective, p.Name, want, got)
			}
		}
	}
}

func TestRankOrdered(t *testing.T) {
	for n := 1; n <= 16; n++ {
		for _, tt := range []struct {
			p    Plan
			want bool
		}{
			{Chain(n), true},
			{ChainReduceScatter(n), true},
			{RingAllGather(n), true},
			{Ring(n), n == 1},
			{RingReduceScatter(n), n == 1},
		} {
			if got := RankOrdered(tt.p); got != tt.want {
				t.Errorf("%v %s of %d: %v", tt.p.Collective, tt.p.Name, n, got)
			}
		}
	}
	wrong := Chain(3)
	wrong.Steps[1] = wrong.Steps[1][1:]
	if RankOrdered(wrong) {
		t.Error("a wrong plan is called rank-ordered")
	}
}

// TestRingFollowsThePaper compares the ring with its formulas.
func TestRingFollowsThePaper(t *testing.T) {
	const n = 7
	mod := func(i int) int { return (i%n + n) % n }
	one := func(op Op, peer, c int) Step { return Step{op, mod(peer), mod(c), mod(c) + 1} }
	for r := range n {
		var reduce, gather []Step
		for s := range n - 1 {
			reduce = append(reduce, one(Send, r+1, r-s-1), one(RecvReduce, r-1, r-s-2))
			gather = append(gather, one(Send, r+1, r-s), one(Recv, r-1, r-s-1))
		}
		reduce = append(reduce, Step{Finish, -1, r, r + 1})
		if got := RingReduceScatter(n).Steps[r]; !slices.Equal(got, reduce) {
			t.Errorf("reducescatter, rank %d: %v", r, got)
		}
		if got := RingAllGather(n).Steps[r]; !slices.Equal(got, gather) {
			t.Errorf("allgather, rank %d: %v", r, got)
		}
		if got := Ring(n).Steps[r]; !slices.Equal(got, append(reduce, gather...)) {
			t.Errorf("allreduce, rank %d: %v", r, got)
		}
	}
}

func TestAlone(t *testing.T) {
	for _, make := range constructors {
		p := make(1)
		want := []Step{{Finish, -1, 0, 1}}
		if p.Collective == AllGather {
			want = nil
		}
		if !slices.Equal(p.Steps[0], want) {
			t.Errorf("%v %s of 1 rank: %v", p.Collective, p.Name, p.Steps)
		}
	}
}

func TestConstructorsRefuseNoRanks(t *testing.T) {
	for _, make := range constructors {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a plan for 0 ranks was made")
				}
			}()
			make(0)
		}()
	}
}

// TestFaults holds what Check says of wrong plans.
func TestFaults(t *testing.T) {
	const head = "ringo schedule 1\n"
	for _, tt := range []struct{ text, want string }{
		{"allreduce x ranks 1 chunks 1\nrank 0\n",
			"rank 0 ends with chunk 0 complete but not finished"},
		{"allreduce x ranks 2 chunks 1\nrank 0\n  finish 0:1\nrank 1\n",
			"rank 0 step 0 (finish 0:1): chunk 0 holds no contribution of rank 1"},
		{"allgather x ranks 2 chunks 2\nrank 0\nrank 1\n",
			"rank 0 ends with nothing in chunk 1, which rank 1 owns"},
		{"allgather x ranks 2 chunks 2\nrank 0\n  send 1:2 to 1\nrank 1\n  recv 1:2 from 0\n",
			"rank 0 step 0 (send 1:2 to 1): the rank does not hold chunk 1 yet"},
		{"allreduce x ranks 2 chunks 2\nrank 0\n  send 0:1 to 1\nrank 1\n  recv 0:2 from 0\n",
			"rank 1 step 0 (recv 0:2 from 0): it meets a send of other chunks, rank 0 step 0 (send 0:1 to 1)"},
		{"allreduce x ranks 2 chunks 1\nrank 0\n  send 0:1 to 1\nrank 1\n",
			"rank 0 step 0 (send 0:1 to 1): rank 1 has no receive left for it"},
		{"allreduce x ranks 2 chunks 1\nrank 0\nrank 1\n  recv 0:1 from 0\n",
			"rank 1 step 0 (recv 0:1 from 0): rank 0 has no send left for it"},
		{"allreduce x ranks 2 chunks 1\nrank 0\n  recvreduce 0:1 from 1\n  send 0:1 to 1\nrank 1\n  recvreduce 0:1 from 0\n  send 0:1 to 0\n",
			"deadlock: rank 0 step 0 (recvreduce 0:1 from 1) with rank 1 step 1 (send 0:1 to 0), which waits for " +
				"rank 0 step 1 (send 0:1 to 1) with rank 1 step 0 (recvreduce 0:1 from 0), which waits for the first"},
		{"allreduce x ranks 2 chunks 1\nrank 0\n  send 0:1 to 1\n  send 0:1 to 1\nrank 1\n  recvreduce 0:1 from 0\n  recvreduce 0:1 from 0\n  finish 0:1\n",
			"rank 1 step 2 (finish 0:1): chunk 0 holds the contribution of rank 0 twice"},
		{"reducescatter x ranks 1 chunks 1\nrank 0\n  finish 0:1\n  finish 0:1\n",
			"rank 0 step 1 (finish 0:1): chunk 0 was finished before"},
		{"allreduce x ranks 2 chunks 1\nrank 0\n  send 0:1 to 1\n  recvreduce 0:1 from 1\nrank 1\n  recvreduce 0:1 from 0\n  finish 0:1\n  send 0:1 to 0\n",
			"rank 0 step 1 (recvreduce 0:1 from 1): chunk 0 comes finished, so it cannot be reduced"},
		{"allreduce x ranks 4 chunks 2\n" + // only the order of the messages 0→1 closes the cycle
			"rank 0\n  recv 0:1 from 3\n  send 0:1 to 1\n  send 1:2 to 1\n" +
			"rank 1\n  recv 0:1 from 0\n  recv 1:2 from 0\n  send 1:2 to 2\n" +
			"rank 2\n  recv 1:2 from 1\n  send 0:2 to 3\n" +
			"rank 3\n  recv 0:2 from 2\n  send 0:1 to 0\n",
			"deadlock: rank 0 step 0 (recv 0:1 from 3) with rank 3 step 1 (send 0:1 to 0), which waits for " +
				"rank 2 step 1 (send 0:2 to 3) with rank 3 step 0 (recv 0:2 from 2), which waits for " +
				"rank 1 step 2 (send 1:2 to 2) with rank 2 step 0 (recv 1:2 from 1), which waits for " +
				"rank 0 step 2 (send 1:2 to 1) with rank 1 step 1 (recv 1:2 from 0), which waits for " +
				"rank 0 step 1 (send 0:1 to 1) with rank 1 step 0 (recv 0:1 from 0), which waits for the first"},
		{"allreduce x ranks 4 chunks 1\n" +
			"rank 0\n  send 0:1 to 1\n  recv 0:1 from 1\n" +
			"rank 1\n  recvreduce 0:1 from 0\n  send 0:1 to 3\n  recvreduce 0:1 from 2\n  finish 0:1\n  send 0:1 to 0\n" +
			"rank 2\n  send 0:1 to 3\n  recv 0:1 from 3\n  send 0:1 to 1\n  recv 0:1 from 3\n" +
			"rank 3\n  recvreduce 0:1 from 2\n  send 0:1 to 2\n  recvreduce 0:1 from 1\n  finish 0:1\n  send 0:1 to 2\n",
			"rank 2 ends with chunk 0 summed in another order than on rank 0"},
	} {
		p, err := Parse([]byte(head + tt.text))
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if err = Check(p); err == nil || err.Error() != "schedule: "+tt.want {
			t.Errorf("%v says\n%v, not\n%s", p, err, tt.want)
		}
	}
}

// TestLongDeadlock looks at how a cycle through many ranks is told.
func TestLongDeadlock(t *testing.T) {
	p := newPlan(AllReduce, "x", 20)
	for r := range p.Steps {
		p.Steps[r] = []Step{{Recv, (r + 19) % 20, 0, 1}, {Send, (r + 1) % 20, 0, 1}}
	}
	if err := Check(p); err == nil || !strings.Contains(err.Error(), "12 more, the last of which waits for the first") {
		t.Errorf("%v", err)
	}
}

func TestShape(t *testing.T) {
	for want, change := range map[string]func(p *Plan){
		"collective 0 is unknown":                   func(p *Plan) { p.Collective = 0 },
		`name "a b" is not one word`:                func(p *Plan) { p.Name = "a b" },
		`name "" is not one word`:                   func(p *Plan) { p.Name = "" },
		"0 ranks are not in":                        func(p *Plan) { p.Ranks = 0 },
		"65537 ranks are not in":                    func(p *Plan) { p.Ranks = MaxRanks + 1 },
		"-1 chunks are not in":                      func(p *Plan) { p.Chunks = -1 },
		"3 ranks and 4 chunks":                      func(p *Plan) { p.Collective, p.Chunks = ReduceScatter, 4 },
		"lists the steps of 2":                      func(p *Plan) { p.Steps = p.Steps[:2] },
		"operation 99 is unknown":                   func(p *Plan) { p.Steps[0][0].Op = 99 },
		"rank 1 step 0 (send 0:1 to 3): peer 3":     func(p *Plan) { p.Steps[1][0].Peer = 3 },
		"the peer is the rank itself":               func(p *Plan) { p.Steps[1][0].Peer = 1 },
		"chunks 0:0 are no chunks":                  func(p *Plan) { p.Steps[1][0].Hi = 0 },
		"chunks 0:4 leave the plan's 3 chunks":      func(p *Plan) { p.Steps[1][0].Hi = 4 },
		"(finish 1:2 from 0): finish takes no peer": func(p *Plan) { p.Steps[1][4].Peer = 0 },
		"allgather has no operator to reduce":       func(p *Plan) { p.Collective = AllGather },
		"3 ranks with 1048576 chunks and 268435457": nil,
	} {
		p := Ring(3)
		if change == nil {
			p = hugePlan()
		} else {
			change(&p)
		}
		if err := Check(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// hugePlan is short to write but touches 2^28+1 chunks.
func hugePlan() Plan {
	p := Plan{Collective: AllReduce, Name: "x", Ranks: 3, Chunks: MaxChunks, Steps: make([][]Step, 3)}
	for range 256 {
		p.Steps[0] = append(p.Steps[0], Step{Finish, -1, 0, MaxChunks})
	}
	p.Steps[1] = []Step{{Finish, -1, 0, 1}}
	return p
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("Ring%d", n), func(b *testing.B) {
			p := Ring(n)
			b.ReportAllocs()
			for b.Loop() {
				if err := Check(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
