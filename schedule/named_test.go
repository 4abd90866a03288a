package schedule

import "testing"

// TestNamed: every plan that has a name is right, and for the collective it was
// asked for.
func TestNamed(t *testing.T) {
	s := Shape{Ranks: 5, Hosts: [][]int{{0, 1}, {2, 3, 4}}}
	for c := AllReduce; c <= Broadcast; c++ {
		if len(Names(c)) < 4 {
			t.Errorf("%v has the algorithms %v only", c, Names(c))
		}
		for _, name := range Names(c) {
			p, err := Named(c, name, s)
			if err != nil {
				t.Errorf("%v %s: %v", c, name, err)
			} else if err := Check(p); err != nil || p.Collective != c || p.Name != name {
				t.Errorf("%v %s: is %v %s, %v", c, name, p.Collective, p.Name, err)
			}
		}
	}
	if p, err := Named(Broadcast, "scatter", Shape{Ranks: 4, Root: 3}); err != nil || p.Root != 3 {
		t.Errorf("root %d, %v", p.Root, err)
	}
	for _, c := range []Collective{0, AllGather} {
		if _, err := Named(c, "halving", s); err == nil {
			t.Errorf("%v by halving exists", c)
		}
	}
}
