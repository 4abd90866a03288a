package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func must(p Plan, err error) Plan {
	if err != nil {
		panic(err)
	}
	return p
}

// hostsOf cuts n ranks into hosts of the given sizes, over and over.
func hostsOf(n int, sizes ...int) (hosts [][]int) {
	for r, i := 0, 0; r < n; i++ {
		var host []int
		for range min(sizes[i%len(sizes)], n-r) {
			host = append(host, r)
			r++
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// newer are the constructors that use accumulators, shared memory or a root.
var newer = map[string]func(n int) Plan{
	"flat": Flat, "flat-reducescatter": FlatReduceScatter, "flat-allgather": FlatAllGather,
	"flat-broadcast": func(n int) Plan { return FlatBroadcast(n, n-1) },
	"exchange":       Exchange, "exchange-reducescatter": ExchangeReduceScatter, "exchange-allgather": ExchangeAllGather,
	"doubling-allgather": func(n int) Plan { return DoublingAllGather(largestPower(n)) },
	"doubling":           Doubling, "halving": Halving, "direct": Direct, "direct-pull": DirectPull,
	"direct-reducescatter": DirectReduceScatter, "direct-allgather": DirectAllGather,
	"direct-broadcast": func(n int) Plan { return DirectBroadcast(n, n/2) },
	"binomial":         func(n int) Plan { return BinomialBroadcast(n, n/3) },
	"scatter":          func(n int) Plan { return ScatterBroadcast(n, n/2) },
	"hierarchical":     func(n int) Plan { return must(Hierarchical(hostsOf(n, 2, 3, 1))) },
	"hierarchical-interleaved": func(n int) Plan {
		hosts := make([][]int, min(n, 3))
		for r := range n {
			hosts[r%len(hosts)] = append(hosts[r%len(hosts)], r)
		}
		return must(Hierarchical(hosts))
	},
	"hierarchical-one":     func(n int) Plan { return must(Hierarchical(hostsOf(n, n))) },
	"hierarchical-ordered": func(n int) Plan { return must(HierarchicalOrdered(hostsOf(n, 1, 3, 2))) },
	"hierarchical-two":     func(n int) Plan { return must(HierarchicalOrdered(hostsOf(n, (n+1)/2))) },
}

// TestNewerAreRight: every plan is proved, and walks to the same result in any
// interleaving.
func TestNewerAreRight(t *testing.T) {
	for name, make := range newer {
		for n := 1; n <= 20; n++ {
			p := make(n)
			if err := Check(p); err != nil {
				t.Fatalf("%s of %d: %v", name, n, err)
			}
			if n > 7 {
				continue
			}
			want := ""
			for seed := range uint64(10) {
				got, err := newWalk(p).run(rand.New(rand.NewPCG(seed, 4)))
				if err != nil || want != "" && got != want {
					t.Fatalf("%s of %d walks to %s, %v; before to %s", name, n, got, err, want)
				}
				want = got
			}
		}
	}
	for _, make := range []func(int) Plan{Direct, DirectPull, Exchange, Halving} {
		if err := Check(make(64)); err != nil {
			t.Error(err)
		}
	}
}

// TestInRankOrder is the canonical order: which plans keep it, and that swapping
// the operands of one addition does not break it.
func TestInRankOrder(t *testing.T) {
	always := "flat flat-reducescatter exchange exchange-reducescatter direct direct-pull direct-reducescatter hierarchical-ordered hierarchical-two"
	never := "doubling halving" // from 4 ranks on
	for name, make := range newer {
		for n := 1; n <= 9; n++ {
			p := make(n)
			got := InRankOrder(p)
			switch {
			case strings.Contains(" "+always+" ", " "+name+" ") || n <= 2:
				if !got || p.Collective != AllReduce && !RankOrdered(p) {
					t.Errorf("%s of %d is not in rank order", name, n)
				}
			case strings.Contains(never, name) && n > 3 && got:
				t.Errorf("%s of %d is in rank order", name, n)
			}
		}
	}
	for n := 1; n <= 9; n++ {
		if !InRankOrder(Chain(n)) || InRankOrder(Ring(n)) != (n <= 2) {
			t.Errorf("the chain or ring of %d", n)
		}
		if !RankOrdered(Doubling(n)) || !RankOrdered(Flat(n)) || !RankOrdered(Direct(n)) || !RankOrdered(Exchange(n)) {
			t.Errorf("%d ranks: an operator that does not commute goes wrong", n)
		}
	}
}

// TestBadInterleavingsAreRaces breaks plans in all small ways. Where a walk goes
// wrong, gets stuck or differs from another walk, Check must have said so.
func TestBadInterleavingsAreRaces(t *testing.T) {
	for name, make := range newer {
		for _, n := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(7, uint64(n)))
				caught, p := 0, make(n)
				for _, m := range breakages(p) {
					proved := Check(m)
					if proved != nil {
						caught++
						continue
					}
					want := ""
					for range 30 {
						got, err := newWalk(m).run(rng)
						if err == errStuck && strings.Contains(m.String(), "send") {
							continue // a walk's messages keep program order, a plan's need not
						}
						if err != nil || want != "" && got != want {
							t.Fatalf("Check accepts what walks to %q, %v, and before to %q:\n%v", got, err, want, m)
						}
						want = got
					}
				}
				if caught == 0 {
					t.Error("no breakage was caught")
				}
			})
		}
	}
}

// breakages are p with a step left out, repeated, moved one place, or changed.
func breakages(p Plan) (all []Plan) {
	for r, steps := range p.Steps {
		for i, s := range steps {
			without := clone(p)
			without.Steps[r] = append(without.Steps[r][:i], without.Steps[r][i+1:]...)
			twice := clone(p)
			twice.Steps[r] = append(twice.Steps[r][:i:i], append([]Step{s}, twice.Steps[r][i:]...)...)
			all = append(all, without, twice)
			if i > 0 {
				swapped := clone(p)
				swapped.Steps[r][i-1], swapped.Steps[r][i] = s, steps[i-1]
				all = append(all, swapped)
			}
			for op := Send; op <= Await; op++ {
				if changed := clone(p); op != s.Op {
					changed.Steps[r][i].Op = op
					all = append(all, changed)
				}
			}
			for peer := range p.Ranks {
				if changed := clone(p); peer != s.Peer {
					changed.Steps[r][i].Peer = peer
					all = append(all, changed)
				}
			}
			if changed := clone(p); true {
				changed.Steps[r][i].Lo, changed.Steps[r][i].Hi = s.Lo+1, s.Hi+1
				all = append(all, changed)
			}
		}
	}
	return all
}

// TestRaceIsNamed: the error says who races with whom for what.
func TestRaceIsNamed(t *testing.T) {
	for want, edit := range map[string]func(p *Plan){
		"has begun": func(p *Plan) { p.Steps[0] = append(p.Steps[0][:1], p.Steps[0][2:]...) }, // rank 0 does not wait for rank 1
		"rank 1 ends without a signal": func(p *Plan) {
			n := len(p.Steps[1])
			p.Steps[1] = p.Steps[1][:n-1] // rank 1 does not wait for rank 0's put
		},
		"race for chunk": func(p *Plan) { p.Steps[0][6] = Step{Put, 1, 1, 2} }, // which is rank 1's
	} {
		p := Direct(2)
		edit(&p)
		if err := Check(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestHostsAreChecked(t *testing.T) {
	for _, hosts := range [][][]int{nil, {{0, 1}, {3}}, {{1, 0}}, {{0}, {}}, {{0, 1}, {1, 2}}} {
		if _, err := Hierarchical(hosts); err == nil {
			t.Errorf("%v are no hosts", hosts)
		}
	}
	if _, err := HierarchicalOrdered([][]int{{0, 2}, {1, 3}}); err == nil {
		t.Error("interleaved hosts cannot be added in rank order")
	}
}
