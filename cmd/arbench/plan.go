package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ringo-ccl/ringo/schedule"
)

const planUsage = `arbench plan prints what each rank does in a collective, or checks it.

  arbench plan -a ring -np 4 [-C allreduce] [--order 3,1,0,2] [--check]

  -a NAME           algorithm: ring, or any other that exists for the collective;
                    hierarchical ones are shown for hosts of two ranks (ring)
  -np N             ranks (4)
  -C NAME           allreduce reducescatter allgather broadcast (allreduce)
  --order LIST      the ranks' order around the ring, separated by commas
  --check           prove the plan right instead of printing it
`

// pairs puts n ranks on hosts of two, the last of one if they are odd.
func pairs(n int) (hosts [][]int) {
	for r := range n {
		if r%2 == 0 {
			hosts = append(hosts, nil)
		}
		hosts[r/2] = append(hosts[r/2], r)
	}
	return hosts
}

// planCommand is "arbench plan".
func planCommand(args []string, out io.Writer) error {
	f := flag.NewFlagSet("arbench plan", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	algorithm := f.String("a", "ring", "")
	collective := f.String("C", "allreduce", "")
	ranks := f.Int("np", 4, "")
	order := f.String("order", "", "")
	check := f.Bool("check", false, "")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return printed(io.WriteString(out, planUsage))
	case err != nil:
		return misused("%w; arbench plan -h lists the flags", err)
	case f.NArg() > 0:
		return misused("unexpected argument %q; arbench plan -h lists the flags", f.Arg(0))
	}
	p, err := makePlan(*collective, *algorithm, *ranks, *order)
	if err != nil {
		return err
	}
	if *check {
		return checkPlan(p, out)
	}
	return printed(io.WriteString(out, p.String()))
}

// makePlan builds the plan that the flags describe.
func makePlan(collective, algorithm string, ranks int, order string) (schedule.Plan, error) {
	if ranks < 1 || ranks > maxRanks {
		return schedule.Plan{}, misused("-np %d: give 1 to %d ranks", ranks, maxRanks)
	}
	c, err := schedule.ParseCollective(collective)
	if err != nil {
		return schedule.Plan{}, misused("there is no plan for the collective %q; use allreduce, reducescatter, allgather or broadcast", collective)
	}
	if names := schedule.Names(c); !slices.Contains(names, algorithm) {
		return schedule.Plan{}, misused("there is no %s algorithm %q; use %s", collective, algorithm, strings.Join(names, ", "))
	}
	p, err := schedule.Named(c, algorithm, schedule.Shape{Ranks: ranks, Hosts: pairs(ranks)})
	if err != nil {
		return p, err
	}
	if order == "" {
		return p, nil
	}
	list, err := parseOrder(order)
	if err != nil {
		return p, err
	}
	if p, err = schedule.Permute(p, list); err != nil {
		return p, misused("--order %s: %w", order, err)
	}
	return p, nil
}

func parseOrder(text string) ([]int, error) {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		rank, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, misused("--order %s: %q is no rank; write them like 3,1,0,2", text, word)
		}
		list = append(list, rank)
	}
	return list, nil
}

// checkPlan says what was proved.
func checkPlan(p schedule.Plan, out io.Writer) error {
	if err := schedule.Check(p); err != nil {
		return err
	}
	steps := 0
	for _, s := range p.Steps {
		steps += len(s)
	}
	return printed(fmt.Fprintf(out, "%v %s of %d ranks, %d chunks, %d steps: right; %s\n", p.Collective, p.Name, p.Ranks, p.Chunks, steps, orderOf(p)))
}

// orderOf says in which order p reduces.
func orderOf(p schedule.Plan) string {
	switch {
	case p.Collective == schedule.AllGather:
		return "nothing is reduced"
	case schedule.RankOrdered(p):
		return "reduces in rank order"
	}
	return "reduces in another order than the ranks', so the operator must commute"
}
