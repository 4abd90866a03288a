package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMutants breaks right plans in every small way and in many random pairs of
// small ways. Some mutants are right still, for example where two independent
// steps change places; the toy interpreter says which, and Check must agree with
// it on every one.
func TestMutants(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4} {
		for _, make := range constructors {
			p := make(n)
			t.Run(p.Collective.String()+"/"+p.Name+"/"+string(rune('0'+n)), func(t *testing.T) {
				var tally tally
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				all := mutants(p)
				for _, m := range all {
					tally.compare(t, m, rng)
				}
				for range 500 {
					if len(all) == 0 {
						break
					}
					if twice := mutants(all[rng.IntN(len(all))]); len(twice) > 0 {
						tally.compare(t, twice[rng.IntN(len(twice))], rng)
					}
				}
				t.Logf("%d mutants are wrong, %d right", tally.wrong, tally.right)
				if len(all) > 0 && tally.wrong == 0 || n > 2 && tally.right == 0 {
					t.Error("the mutants do not try both verdicts")
				}
			})
		}
	}
}

// tally counts the verdicts on mutants.
type tally struct{ right, wrong int }

// compare holds Check and RankOrdered against the toy interpreter.
func (ty *tally) compare(t *testing.T, p Plan, rng *rand.Rand) {
	t.Helper()
	held, toyErr := interpret(p, rng)
	err := Check(p)
	if (err == nil) != (toyErr == nil) {
		t.Errorf("Check says %v, the toy %v, of\n%v", err, toyErr, p)
	}
	if err != nil {
		ty.wrong++
		return
	}
	ty.right++
	if got, want := RankOrdered(p), inOrder(p, held); got != want {
		t.Errorf("RankOrdered says %v, the toy %v, of\n%v", got, want, p)
	}
}

// mutants returns p with every small change: to one step, to two steps of a rank,
// or to both ends of a message, which then still match.
func mutants(p Plan) (all []Plan) {
	edit := func(change func(steps [][]Step)) {
		q := clone(p)
		change(q.Steps)
		all = append(all, q)
	}
	for r, steps := range p.Steps {
		for i, s := range steps {
			edit(func(st [][]Step) { st[r] = slices.Delete(st[r], i, i+1) })
			edit(func(st [][]Step) { st[r] = slices.Insert(st[r], i, s) })
			edit(func(st [][]Step) { st[r] = append(st[r], s) })
			for _, v := range variants(p, s) {
				edit(func(st [][]Step) { st[r][i] = v })
			}
			for j := range i {
				edit(func(st [][]Step) { st[r][i], st[r][j] = st[r][j], st[r][i] })
			}
			if q, j := partner(p, r, i); j >= 0 {
				edit(func(st [][]Step) {
					st[r], st[q] = slices.Delete(st[r], i, i+1), slices.Delete(st[q], j, j+1)
				})
				edit(func(st [][]Step) {
					st[r], st[q] = slices.Insert(st[r], i, s), slices.Insert(st[q], j, st[q][j])
				})
				for c := range p.Chunks {
					edit(func(st [][]Step) { setChunks(&st[r][i], c); setChunks(&st[q][j], c) })
				}
			}
		}
	}
	return all
}

func setChunks(s *Step, c int) { s.Lo, s.Hi = c, c+1 }

// variants returns s with one field changed.
func variants(p Plan, s Step) (all []Step) {
	for op := Op(0); op <= Finish+1; op++ {
		all = append(all, Step{op, s.Peer, s.Lo, s.Hi}, Step{op, -1, s.Lo, s.Hi})
	}
	for peer := -1; peer <= p.Ranks; peer++ {
		all = append(all, Step{s.Op, peer, s.Lo, s.Hi})
	}
	for lo := -1; lo <= p.Chunks; lo++ {
		all = append(all, Step{s.Op, s.Peer, lo, lo + 1}, Step{s.Op, s.Peer, lo, s.Hi}, Step{s.Op, s.Peer, s.Lo, lo + 1})
	}
	return slices.DeleteFunc(all, func(v Step) bool { return v == s })
}

// partner returns the receive that meets the i-th step of rank r, if that is a
// send with one.
func partner(p Plan, r, i int) (rank, j int) {
	s := p.Steps[r][i]
	if s.Op != Send || s.Peer < 0 || s.Peer >= p.Ranks {
		return 0, -1
	}
	before := 0
	for _, e := range p.Steps[r][:i] {
		if e.Op == Send && e.Peer == s.Peer {
			before++
		}
	}
	for j, e := range p.Steps[s.Peer] {
		if (e.Op == Recv || e.Op == RecvReduce) && e.Peer == r {
			if before == 0 {
				return s.Peer, j
			}
			before--
		}
	}
	return 0, -1
}

func clone(p Plan) Plan {
	p.Steps = slices.Clone(p.Steps)
	for r := range p.Steps {
		p.Steps[r] = slices.Clone(p.Steps[r])
	}
	return p
}
