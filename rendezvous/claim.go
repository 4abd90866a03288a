package rendezvous

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// environment is what FromEnv looks at.
type environment struct {
	get     func(string) string
	machine machine
}

// maxRanks bounds what a variable may say.
const maxRanks = 1 << 20

// number is a variable that holds one; the zero number is a variable not set.
type number struct {
	name  string
	value int
}

func (n number) String() string { return n.name + "=" + strconv.Itoa(n.value) }

// number reads the first variable of names that is set.
func (e environment) number(names ...string) (number, error) {
	for _, name := range names {
		text := e.get(name)
		if text == "" {
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < 0 || value > maxRanks {
			return number{}, fmt.Errorf("%s=%s: want a number from 0 to %d", name, text, maxRanks)
		}
		return number{name: name, value: value}, nil
	}
	return number{}, nil
}

// claim is what one launcher says this process is.
type claim struct {
	launcher      string
	rank, ranks   number
	local, locals number // both zero where the launcher does not say
	onHost        string // names the variables of local and locals
	meet          func(environment, claim) (store string, err error)
}

// read makes the launcher's claim, or none where it did not start this process.
func (l launcher) read(e environment) (*claim, error) {
	if l.absent != nil && l.absent(e) {
		return nil, nil
	}
	c := claim{launcher: l.name, meet: l.meet, onHost: strings.Join(slices.Concat(l.local, l.locals), " and ")}
	for _, v := range []struct {
		to    *number
		names []string
	}{{&c.rank, l.rank}, {&c.ranks, l.ranks}, {&c.local, l.local}, {&c.locals, l.locals}} {
		n, err := e.number(v.names...)
		if err != nil {
			return nil, err
		}
		*v.to = n
	}
	if c.rank.name == "" {
		return nil, nil
	}
	if c.ranks.name == "" {
		return nil, fmt.Errorf("%v is set, but %s, the number of ranks, is not", c.rank, l.ranks[0])
	}
	if l.count != nil && c.locals.name == "" {
		c.locals = l.count(e)
	}
	if c.local.name == "" || c.locals.name == "" {
		c.local, c.locals = number{}, number{}
	}
	return &c, c.check()
}

// check says whether c makes sense.
func (c *claim) check() error {
	if c.rank.value >= c.ranks.value {
		return fmt.Errorf("%v with %v: ranks run from 0 to one less than their number", c.rank, c.ranks)
	}
	if c.locals.name != "" && (c.local.value >= c.locals.value || c.locals.value > c.ranks.value) {
		return fmt.Errorf("%v with %v and %v makes no sense", c.local, c.locals, c.ranks)
	}
	return nil
}

// agrees says whether c and o are the same rank.
func (c *claim) agrees(o claim) bool {
	return c.rank.value == o.rank.value && c.ranks.value == o.ranks.value
}

// decide finds what this process is, nil for no rank at all, and the launchers
// that say so, the innermost first.
func (e environment) decide() (*claim, []claim, error) {
	own := claim{launcher: "ringo"}
	var err error
	if own.rank, err = e.number("RINGO_RANK"); err != nil {
		return nil, nil, err
	}
	if own.ranks, err = e.number("RINGO_WORLD_SIZE"); err != nil {
		return nil, nil, err
	}
	claims, err := e.claims()
	if own.rank.name != "" && own.ranks.name != "" {
		return &own, agreeing(own, claims), own.check()
	}
	if err != nil {
		return nil, nil, err
	}
	if len(claims) == 0 {
		return nil, nil, half(own)
	}
	first := claims[0]
	for _, c := range claims[1:] {
		if !first.agrees(c) {
			return nil, nil, disagree(first, c)
		}
	}
	return &first, claims, contradiction(own, first)
}

// agreeing are the claims that say what own does.
func agreeing(own claim, claims []claim) []claim {
	var same []claim
	for _, c := range claims {
		if own.agrees(c) {
			same = append(same, c)
		}
	}
	return same
}

// half complains about one of RINGO_RANK and RINGO_WORLD_SIZE without the other.
func half(own claim) error {
	switch {
	case own.rank.name != "":
		return fmt.Errorf("%v is set, but RINGO_WORLD_SIZE, the number of ranks, is not", own.rank)
	case own.ranks.name != "":
		return fmt.Errorf("%v is set, but nothing says which of them this process is: set RINGO_RANK", own.ranks)
	}
	return nil
}

// contradiction complains about one of RINGO_RANK and RINGO_WORLD_SIZE that the
// launcher contradicts.
func contradiction(own, c claim) error {
	const cure = "unset the former, or set both RINGO_RANK and RINGO_WORLD_SIZE, which win"
	switch {
	case own.rank.name != "" && own.rank.value != c.rank.value:
		return fmt.Errorf("%v and %v (%s) disagree: %s", own.rank, c.rank, c.launcher, cure)
	case own.ranks.name != "" && own.ranks.value != c.ranks.value:
		return fmt.Errorf("%v and %v (%s) disagree: %s", own.ranks, c.ranks, c.launcher, cure)
	}
	return nil
}

// disagree complains about two launchers.
func disagree(a, b claim) error {
	return fmt.Errorf("%v of %v (%s) and %v of %v (%s) disagree: unset the variables of one, or set RINGO_RANK and RINGO_WORLD_SIZE, which win",
		a.rank, a.ranks, a.launcher, b.rank, b.ranks, b.launcher)
}
