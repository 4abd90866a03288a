package rendezvous

import (
	"strings"
	"testing"
)

func TestFirstHost(t *testing.T) {
	for list, want := range map[string]string{
		"login1":                   "login1",
		"a,b":                      "a",
		"node[01-03,07],login1":    "node01",
		"node[7,1-3]":              "node7",
		"rack[1-2]node[03-04]":     "rack1node03",
		"n[1-2]-ib.example.org":    "n1-ib.example.org",
		"n[1],m[":                  "n1",
		"10.0.0.1,10.0.0.2":        "10.0.0.1",
		"a_b-c[0000-0001].d[5],x1": "a_b-c0000.d5",
	} {
		if got, err := firstHost(list); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", list, got, err, want)
		}
	}
	for _, list := range []string{"", ",a", "n[", "n[]", "n[a-b]", "n[1-]", "n[-1]", "n[1[2]]", "n]", "a b", "(null)", "n[,1]"} {
		if got, err := firstHost(list); err == nil {
			t.Errorf("%q: got %q", list, got)
		}
	}
}

func FuzzFirstHost(f *testing.F) {
	f.Add("node[01-03,07],login1")
	f.Add("r[1-2]n[3]-ib")
	f.Fuzz(func(t *testing.T, list string) {
		host, err := firstHost(list)
		if err != nil {
			return
		}
		if host == "" || strings.ContainsAny(host, "[], ") || len(host) > len(list) {
			t.Fatalf("%q begins with %q", list, host)
		}
		if again, err := firstHost(host); err != nil || again != host {
			t.Fatalf("%q begins with %q, which begins with %q, %v", list, host, again, err)
		}
	})
}

func TestSlurmTasksHere(t *testing.T) {
	for _, test := range []struct {
		tasks, node string
		want        int
	}{
		{"4", "0", 4},
		{"4(x2),1", "0", 4},
		{"4(x2),1", "1", 4},
		{"4(x2),1", "2", 1},
		{"2,3(x2),5", "3", 5},
		{"4(x2)", "2", 0},
		{"4(x2)", "", 0},
		{"", "0", 0},
		{"x", "0", 0},
		{"4(x", "0", 0},
		{"0(x2)", "0", 0},
	} {
		got := slurmTasksHere(env("SLURM_STEP_TASKS_PER_NODE=" + test.tasks + " SLURM_NODEID=" + test.node))
		if got.value != test.want {
			t.Errorf("%q on node %q: got %d, want %d", test.tasks, test.node, got.value, test.want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"tcp://h:1", "tcp://[::1]:29500", "tcp://[fe80::1%25eth0]:9", "file:///a/b%20c", "tcp://:1", "file://h/d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAddress(text)
		if err == nil && (a.hostPort == "") == (a.dir == "") {
			t.Fatalf("%q reads as %+v", text, a)
		}
	})
}
