package versus

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func jobOf(transport, collective, typ string, ranks int) Job {
	return Job{Ranks: ranks, Transport: transport, Collective: collective, Type: typ, Sizes: []int{4, 1 << 20, 256 << 20},
		Iterations: 100, WarmUp: 10, Budget: 250 * time.Millisecond}
}

// TestBothSidesCountAlike: ringo and its peers get the same sizes and the same
// limits.
func TestBothSidesCountAlike(t *testing.T) {
	s := Sides{Arbench: "arbench", Peers: []string{"openmpi"}, Memory: []string{"ordinary"}}
	list := s.Commands(jobOf("shm", "allreduce", "float32", 2))
	own, peer := strings.Join(list[0].Args, " "), strings.Join(list[1].Args, " ")
	for _, want := range []string{"--sizes 4,1048576,268435456", "-n 100", "-w 10", "--budget 250ms", "--mode latency", "-d float32"} {
		if !strings.Contains(own, want) {
			t.Errorf("ringo's command lacks %s: %s", want, own)
		}
	}
	for _, want := range []string{" 4 1048576 268435456", "--iters 100", "--warmup 10", "--budget 0.25 ", "--mode latency", "--type float32"} {
		if !strings.Contains(peer, want) {
			t.Errorf("the peer's command lacks %s: %s", want, peer)
		}
	}
}

// TestSettingsOfSizes: a setting is asked only for what it is for, and at every size
// every library has one.
func TestSettingsOfSizes(t *testing.T) {
	for _, transport := range []string{"shm", "tcp"} {
		j := jobOf(transport, "allreduce", "float32", 2)
		covered := map[string]map[int]bool{}
		for _, x := range settings {
			for _, bytes := range x.suits(j).Sizes {
				if bytes < x.from || x.to > 0 && bytes > x.to {
					t.Errorf("%s %s measures %d", x.library, x.name, bytes)
				}
				if covered[x.library] == nil {
					covered[x.library] = map[int]bool{}
				}
				covered[x.library][bytes] = !x.rare || covered[x.library][bytes]
			}
		}
		if !covered["openmpi"][4] || !covered["openmpi"][256<<20] {
			t.Errorf("%s: Open MPI at %v when quick", transport, covered["openmpi"])
		}
	}
	for _, x := range settings {
		if len(x.suits(jobOf("shm", "allreduce", "bfloat16", 2)).Sizes) > 0 && slices.Equal(x.types, floats) {
			t.Errorf("%s %s is asked for bfloat16", x.library, x.name)
		}
	}
}

// TestYieldOnlyWhenCrowded: MPICH is left alone where each rank has a processor.
func TestYieldOnlyWhenCrowded(t *testing.T) {
	s := Sides{Bin: "bin", Peers: []string{"mpich"}}
	for ranks, want := range map[int]bool{runtime.NumCPU(): false, runtime.NumCPU() + 1: true} {
		for _, c := range s.Commands(jobOf("tcp", "allreduce", "float32", ranks)) {
			if slices.Contains(c.Env, "LD_PRELOAD=bin/yield.so") != want {
				t.Errorf("%d ranks: environment %v", ranks, c.Env)
			}
		}
	}
}
