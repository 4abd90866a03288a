package schedule

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPermuteByIdentity(t *testing.T) {
	for _, make := range constructors {
		p := make(6)
		if q, err := Permute(p, []int{0, 1, 2, 3, 4, 5}); err != nil || !reflect.DeepEqual(p, q) {
			t.Errorf("%v %s: %v\n%v", p.Collective, p.Name, err, q)
		}
	}
}

// TestPermuteThereAndBack returns to where it came from.
func TestPermuteThereAndBack(t *testing.T) {
	order := rand.New(rand.NewPCG(6, 7)).Perm(9)
	back := make([]int, 9)
	for i, r := range order {
		back[r] = i
	}
	for _, make := range constructors {
		p := make(9)
		before := p.String()
		q, err := Permute(p, order)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != before {
			t.Errorf("%v %s: Permute changed its argument", p.Collective, p.Name)
		}
		if reflect.DeepEqual(p, q) {
			t.Errorf("%v %s: nothing changed", p.Collective, p.Name)
		}
		if r, err := Permute(q, back); err != nil || !reflect.DeepEqual(p, r) {
			t.Errorf("%v %s: %v\n%v", p.Collective, p.Name, err, r)
		}
	}
}

// TestPermuteSplits renumbers a wide range, whose chunks come to lie apart.
func TestPermuteSplits(t *testing.T) {
	p := Plan{Collective: AllGather, Name: "wide", Ranks: 4, Chunks: 4, Steps: [][]Step{
		{{Recv, 3, 3, 4}, {Recv, 1, 1, 2}, {Recv, 2, 2, 3}, {Send, 1, 0, 4}, {Send, 2, 0, 4}, {Send, 3, 0, 4}},
		{{Send, 0, 1, 2}, {Recv, 0, 0, 4}},
		{{Send, 0, 2, 3}, {Recv, 0, 0, 4}},
		{{Send, 0, 3, 4}, {Recv, 0, 0, 4}},
	}}
	p.Steps[0][3].Hi, p.Steps[1][1].Hi = 3, 3
	p.Steps[0] = slices.Insert(p.Steps[0], 4, Step{Send, 1, 3, 4})
	p.Steps[1] = append(p.Steps[1], Step{Recv, 0, 3, 4})
	q, err := Permute(p, []int{2, 0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Plan{p, q} {
		if err := Check(p); err != nil {
			t.Fatal(err)
		}
	}
	want := []Step{{Send, 2, 0, 1}, {Recv, 2, 0, 1}, {Recv, 2, 2, 4}, {Recv, 2, 1, 2}}
	if !slices.Equal(q.Steps[0], want) {
		t.Errorf("%v, not %v", q.Steps[0], want)
	}
}

func TestPermuteRefuses(t *testing.T) {
	for _, tt := range []struct {
		order []int
		want  string
	}{
		{nil, "the order lists 0 ranks, the plan has 3"},
		{[]int{0, 1, 2, 3}, "the order lists 4 ranks, the plan has 3"},
		{[]int{0, 1, 3}, "position 2 holds rank 3, which is not in 0..2"},
		{[]int{0, -1, 2}, "position 1 holds rank -1, which is not in 0..2"},
		{[]int{2, 1, 2}, "holds rank 2 twice, at positions 0 and 2"},
	} {
		if _, err := Permute(Ring(3), tt.order); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, not %q", tt.order, err, tt.want)
		}
	}
	bad := Ring(3)
	bad.Steps[0][0].Peer = 3
	if _, err := Permute(bad, []int{0, 1, 2}); err == nil {
		t.Error("an ill-formed plan was permuted")
	}
}
