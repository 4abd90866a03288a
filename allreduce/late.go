package allreduce

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// findLate asks every rank what it is doing and blames who holds the others up.
func (g *Group) findLate(seq uint64) *RankError {
	timeout := fmt.Errorf("%w after %v", ErrTimeout, g.c.OpTimeout)
	if g.c.Ranks == 1 {
		return g.blame(-1, g.stage(), timeout)
	}
	answers := g.census()
	var silent, absent, behind []int
	for rank := range g.members {
		s, ok := answers[rank]
		switch {
		case !ok:
			silent = append(silent, rank)
		case s.Running == 0 && s.Begun < seq:
			absent = append(absent, rank)
		case s.Running != 0 && s.Running < seq:
			behind = append(behind, rank)
		}
	}
	switch {
	case len(silent) > 0 && len(answers) > 0:
		return g.blame(silent[0], "", fmt.Errorf("%w: no answer from %s (stopped, overloaded or unreachable)", timeout, rankList(silent)))
	case len(absent) > 0:
		return g.blame(absent[0], "", fmt.Errorf("%w: not entered by %s; the last collective there was #%d", timeout, rankList(absent), answers[absent[0]].Begun))
	case len(behind) > 0:
		s := answers[behind[0]]
		if s.Waiting < 0 {
			return g.blame(behind[0], "", fmt.Errorf("%w: still in %s #%d on %s", timeout, s.Op, s.Running, rankList(behind)))
		}
		return g.blame(behind[0], "", fmt.Errorf("%w: still in %s #%d on %s, waiting for rank %d", timeout, s.Op, s.Running, rankList(behind), s.Waiting))
	}
	return g.blame(-1, g.stage(), fmt.Errorf("%w: all ranks are in it and answer; the network or the machine is too slow for this timeout", timeout))
}

// census collects what the ranks say they are doing, for at most censusTime.
func (g *Group) census() map[int]status {
	ctx, cancel := context.WithTimeout(g.quit, censusTime)
	defer cancel()
	key := func(rank int) string { return fmt.Sprintf("%s%s/%d", g.c.Name, censusKey, rank) }
	g.store.Put(ctx, g.c.Name+censusKey, nil)
	for rank := range g.members { // wait for all; those who are silent use up the time
		g.store.Get(ctx, key(rank))
	}
	late, cancelLate := context.WithTimeout(g.quit, censusTime)
	defer cancelLate()
	answers := map[int]status{}
	keys, _ := g.store.List(late, g.c.Name+censusKey+"/")
	for _, have := range keys {
		var rank int
		var s status
		if _, err := fmt.Sscanf(have[len(g.c.Name+censusKey):], "/%d", &rank); err != nil {
			continue
		}
		if b, err := g.store.Get(late, have); err == nil && json.Unmarshal(b, &s) == nil {
			answers[rank] = s
		}
	}
	return answers
}

func rankList(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ranks)), ", "), "[]")
}
