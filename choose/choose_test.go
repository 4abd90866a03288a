package choose_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/schedule"
)

func profile() *choose.Profile {
	p := choose.Default()
	p.Cores = 2
	return p
}

func ask(bytes, ranks int) choose.Question {
	return choose.Question{Collective: schedule.AllReduce, Bytes: bytes, Ranks: ranks, Hosts: []int{ranks}, HostsConsecutive: true,
		Commutes: true, Reproducible: true, Wanted: "auto"}
}

func Example() {
	p := choose.Default()
	p.Cores = 4
	c, err := p.Choose(choose.Question{Collective: schedule.AllReduce, Bytes: 1 << 20, Ranks: 4, Hosts: []int{4},
		Commutes: true, Reproducible: true, Wanted: "auto"})
	fmt.Println(c.Algorithm, err)
	// Output: exchange <nil>
}

func TestDecisions(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(q *choose.Question)
		want string
	}{
		{"one host, memory", func(q *choose.Question) { q.Shared = true }, choose.Direct},
		{"one host, memory, large", func(q *choose.Question) { q.Shared, q.Bytes = true, 1<<30 }, choose.Direct},
		{"messages, small", func(q *choose.Question) {}, choose.Flat},
		{"messages, large, ranks share cores", func(q *choose.Question) { q.Bytes = 64 << 20 }, choose.Chain},
		{"messages, large", func(q *choose.Question) { q.Bytes, q.Ranks, q.Hosts = 64<<20, 2, []int{2} }, choose.Exchange},
		{"too many for a mesh", func(q *choose.Question) { q.Ranks, q.Hosts = 100, []int{100} }, choose.Chain},
		{"too many to scatter over a mesh", func(q *choose.Question) {
			q.Collective, q.Ranks, q.Hosts = schedule.ReduceScatter, 100, []int{100}
		}, choose.Chain},
		{"too many, any order", func(q *choose.Question) {
			q.Ranks, q.Hosts, q.Reproducible, q.Bytes = 100, []int{100}, false, 256<<20
		}, choose.Ring},
		{"two hosts, large", func(q *choose.Question) { q.Shared, q.Hosts, q.Bytes = true, []int{2, 2}, 64<<20 }, choose.HierarchicalOrdered},
		{"uneven hosts", func(q *choose.Question) { q.Shared, q.Hosts, q.Bytes = true, []int{1, 3}, 64<<20 }, choose.HierarchicalOrdered},
		{"four hosts, any order", func(q *choose.Question) {
			q.Shared, q.Ranks, q.Hosts, q.Bytes, q.Reproducible = true, 16, []int{4, 4, 4, 4}, 64<<20, false
		}, choose.Hierarchical},
		{"ranks scattered over hosts", func(q *choose.Question) {
			q.Shared, q.Hosts, q.HostsConsecutive, q.Bytes = true, []int{2, 2}, false, 64<<20
		}, choose.Exchange},
		{"broadcast, small", func(q *choose.Question) { q.Collective = schedule.Broadcast }, choose.Binomial},
		{"gather", func(q *choose.Question) { q.Collective = schedule.AllGather }, choose.Flat},
	} {
		q := ask(64, 4)
		c.edit(&q)
		got, err := profile().Choose(q)
		if err != nil || got.Algorithm != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got.Algorithm, err, c.want)
		}
		if !strings.Contains(got.Why, c.want) || len(got.Others) != len(choose.Algorithms())-1 {
			t.Errorf("%s: %q, and %d others", c.name, got.Why, len(got.Others))
		}
	}
}

// TestNeverOutOfOrder: what must be in rank order is.
func TestNeverOutOfOrder(t *testing.T) {
	canonical := map[string]bool{choose.Direct: true, choose.Flat: true, choose.Exchange: true, choose.Chain: true, choose.HierarchicalOrdered: true}
	for ranks := 3; ranks <= 64; ranks++ {
		for bytes := 1; bytes <= 1<<30; bytes *= 8 {
			for _, hosts := range [][]int{{ranks}, {1, ranks - 1}} {
				q := ask(bytes, ranks)
				q.Hosts, q.Shared = hosts, len(hosts) > 1
				c, err := profile().Choose(q)
				if err != nil || !canonical[c.Algorithm] {
					t.Fatalf("%+v: %s, %v", q, c.Algorithm, err)
				}
				q.Reproducible, q.Commutes = false, false
				if c, err = profile().Choose(q); err != nil || !canonical[c.Algorithm] && c.Algorithm != choose.Doubling {
					t.Fatalf("%+v: %s, %v", q, c.Algorithm, err)
				}
			}
		}
	}
}

// TestWishes: a named algorithm is taken if it can be, and else the error says why
// not.
func TestWishes(t *testing.T) {
	q := ask(64, 4)
	q.Wanted = choose.Exchange
	if c, err := profile().Choose(q); err != nil || c.Algorithm != choose.Exchange || !strings.Contains(c.Why, "asked for") {
		t.Errorf("%+v, %v", c, err)
	}
	for wish, reason := range map[string]string{choose.Ring: "rank order", choose.Direct: "share memory", choose.Binomial: "allreduce", choose.Hierarchical: "share memory"} {
		q.Wanted = wish
		if _, err := profile().Choose(q); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", wish, err)
		}
	}
}

// TestSameAfterJSON: a rank that got the profile as JSON decides as the one that
// sent it.
func TestSameAfterJSON(t *testing.T) {
	p := profile()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := choose.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	for ranks := 1; ranks <= 40; ranks++ {
		for bytes := 0; bytes <= 1<<30; bytes = bytes*3 + 1 {
			a, _ := p.Choose(ask(bytes, ranks))
			b, _ := r.Choose(ask(bytes, ranks))
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%d bytes, %d ranks: %+v and %+v", bytes, ranks, a, b)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	b, _ := json.Marshal(choose.Default())
	f.Add(b, 1<<20, 4)
	f.Fuzz(func(t *testing.T, b []byte, bytes, ranks int) {
		p, err := choose.Parse(b)
		if err != nil || bytes < 0 || bytes > 1<<46 || ranks < 1 || ranks > 1024 {
			return
		}
		c, err := p.Choose(ask(bytes, ranks))
		if err != nil || c.CostNS < 0 {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}
