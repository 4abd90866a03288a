package choose

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/schedule"
)

// Question says what is to be done and by whom: all that a choice depends on.
type Question struct {
	Collective schedule.Collective
	// Bytes is the size of the whole array: of ReduceScatter and AllGather, of all
	// ranks' blocks.
	Bytes int
	Ranks int
	// Hosts is how many ranks each host has; one entry for a single host.
	Hosts []int
	// HostsConsecutive says that every host's ranks follow one another.
	HostsConsecutive bool
	// Shared says that the ranks of a host share memory.
	Shared bool
	// Commutes is false for an operator whose operands must stay in rank order.
	Commutes bool
	// Reproducible asks for sums in rank order, from left to right.
	Reproducible bool
	// Wanted is "auto", or the name of the algorithm to take if it can be used.
	Wanted string
}

// Candidate is an algorithm and what it is estimated to take, or why it cannot be
// used.
type Candidate struct {
	Algorithm string
	CostNS    int64
	Excluded  string
}

// Choice is the answer to a Question.
type Choice struct {
	Algorithm string
	CostNS    int64
	// Why is one sentence for people.
	Why string
	// Others are all algorithms but the one chosen, in a fixed order.
	Others []Candidate
}

// Choose answers q. It fails when the wanted algorithm cannot be used, with the
// reason, or when none can.
func (p *Profile) Choose(q Question) (Choice, error) {
	e := newEstimate(p, &q)
	best := -1
	candidates := make([]Candidate, len(algorithms))
	for i := range algorithms {
		a, c := &algorithms[i], &candidates[i]
		*c = Candidate{Algorithm: a.name, Excluded: a.excluded(&q)}
		if c.Excluded == "" {
			c.CostNS = a.cost(e)
		}
		switch {
		case q.wants(a.name):
			if c.Excluded != "" {
				return Choice{}, fmt.Errorf("choose: algorithm %s %s", a.name, c.Excluded)
			}
			best = i
		case q.wantsOther() || c.Excluded != "":
		case best < 0, c.CostNS < candidates[best].CostNS && candidates[best].Algorithm != Direct: // nothing beats memory
			best = i
		}
	}
	if best < 0 {
		return Choice{}, fmt.Errorf("choose: nothing does %v of %d bytes on %d ranks: %s", q.Collective, q.Bytes, q.Ranks, reasons(candidates))
	}
	c := Choice{Algorithm: candidates[best].Algorithm, CostNS: candidates[best].CostNS}
	c.Others = append(candidates[:best:best], candidates[best+1:]...)
	c.Why = c.why(&q)
	return c, nil
}

// wants says that q names this algorithm, and wantsOther that it names any.
func (q *Question) wants(name string) bool { return q.Wanted == name }

func (q *Question) wantsOther() bool { return q.Wanted != "" && q.Wanted != "auto" }

func reasons(cs []Candidate) string {
	var all []string
	for _, c := range cs {
		all = append(all, c.Algorithm+" "+c.Excluded)
	}
	return strings.Join(all, "; ")
}

func (c *Choice) why(q *Question) string {
	cost := func(ns int64) string { return time.Duration(ns).Round(100 * time.Nanosecond).String() }
	if q.wantsOther() {
		return fmt.Sprintf("%s was asked for; about %s", c.Algorithm, cost(c.CostNS))
	}
	next := Candidate{}
	for _, o := range c.Others {
		if o.Excluded == "" && (next.Algorithm == "" || o.CostNS < next.CostNS) {
			next = o
		}
	}
	if next.Algorithm == "" {
		return fmt.Sprintf("%s is all there is; about %s", c.Algorithm, cost(c.CostNS))
	}
	return fmt.Sprintf("%s: about %s; next best %s, %s", c.Algorithm, cost(c.CostNS), next.Algorithm, cost(next.CostNS))
}
