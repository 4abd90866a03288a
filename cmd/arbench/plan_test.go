package main

import (
	"strings"
	"testing"

	"github.com/ringo-ccl/ringo/schedule"
)

func TestPlanPrints(t *testing.T) {
	r := arbench(t, "plan", "-a", "ring", "-np", "3")
	if r.status != 0 || r.stdout != schedule.Ring(3).String() {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
}

func TestPlanChecks(t *testing.T) {
	for args, says := range map[string]string{
		"-np 4":                              "allreduce ring of 4 ranks, 4 chunks, 52 steps: right; reduces in another order",
		"-np 1":                              "right",
		"-a chain -np 5":                     "reduces in rank order",
		"-C reducescatter -np 4":             "reducescatter ring",
		"-C reducescatter -a chain -np 3":    "reducescatter chain",
		"-C allgather -np 6":                 "nothing is reduced",
		"-np 4 --order 3,1,0,2":              "right",
		"-C allgather -np 4 --order 2,0,1,3": "right",
	} {
		r := arbench(t, append([]string{"plan", "--check"}, strings.Fields(args)...)...)
		if r.status != 0 || !strings.Contains(r.stdout, says) || r.stderr != "" {
			t.Errorf("plan --check %s: status %d, %s%s; want %q", args, r.status, r.stdout, r.stderr, says)
		}
	}
}
