package schedule

import (
	"bytes"
	"errors"
	"fmt"
)

// Parse reads a plan from its text, the exact form that [Plan.String] writes. The
// text may come from anyone: Parse takes memory in proportion to it, and reports
// the line of the first mistake. A plan that it returns is well-formed but may
// still be wrong; that is for [Check] to say.
func Parse(text []byte) (Plan, error) {
	ps := parser{rest: text}
	if err := ps.parse(); err != nil {
		return Plan{}, fmt.Errorf("schedule: line %d: %w", ps.line, err)
	}
	return ps.plan, nil
}

// parser is the state of Parse.
type parser struct {
	rest  []byte // what follows the current line
	line  int    // the number of the current line
	steps int    // the steps so far
	plan  Plan
}

// next returns the next line without its end.
func (ps *parser) next() ([]byte, error) {
	ps.line++
	line, rest, ended := bytes.Cut(ps.rest, []byte("\n"))
	if !ended {
		if len(line) == 0 {
			return nil, errors.New("the text ends early")
		}
		return nil, fmt.Errorf("the line %.40q has no end", line)
	}
	ps.rest = rest
	return line, nil
}

// parse reads the whole text.
func (ps *parser) parse() error {
	if line, err := ps.next(); err != nil {
		return err
	} else if string(line) != version {
		return fmt.Errorf("%.40q is not %q", line, version)
	}
	if err := ps.head(); err != nil {
		return err
	}
	for len(ps.rest) > 0 {
		line, err := ps.next()
		if err != nil {
			return err
		}
		if step, ok := bytes.CutPrefix(line, []byte("  ")); ok {
			err = ps.step(step)
		} else {
			err = ps.rank(line)
		}
		if err != nil {
			return err
		}
	}
	if len(ps.plan.Steps) != ps.plan.Ranks {
		return fmt.Errorf("the text ends after %d of %d ranks", len(ps.plan.Steps), ps.plan.Ranks)
	}
	return nil
}

// head reads the second line.
func (ps *parser) head() error {
	line, err := ps.next()
	if err != nil {
		return err
	}
	f := fields{line: line}
	p := &ps.plan
	p.Collective, err = ParseCollective(f.upTo(" ", 16))
	p.Name = f.upTo(" ranks ", maxName+1)
	p.Ranks = f.number(" chunks ")
	if p.Collective == Broadcast {
		p.Chunks = f.number(" root ")
		p.Root = f.number("")
	} else {
		p.Chunks = f.number("")
	}
	if f.bad || err != nil {
		return fmt.Errorf(`%.80q is not "COLLECTIVE NAME ranks N chunks N", with "root N" for a broadcast`, line)
	}
	if fault := p.headFault(); fault != "" {
		return errors.New(fault)
	}
	return nil
}

// rank reads the line before a rank's steps.
func (ps *parser) rank(line []byte) error {
	p := &ps.plan
	f := fields{line: line}
	f.word("rank ")
	r := f.number("")
	switch {
	case f.bad:
		return fmt.Errorf(`%.40q is neither "rank N" nor an indented step`, line)
	case r >= p.Ranks:
		return fmt.Errorf("rank %d is not one of the %d ranks", r, p.Ranks)
	case r != len(p.Steps):
		return fmt.Errorf("rank %d stands where rank %d should", r, len(p.Steps))
	}
	p.Steps = append(p.Steps, []Step{})
	return nil
}

// step reads the line of a step, without its indent.
func (ps *parser) step(line []byte) error {
	p := &ps.plan
	rank := len(p.Steps) - 1
	if rank < 0 {
		return errors.New("a step stands before the first rank")
	}
	if ps.steps++; ps.steps > MaxSteps {
		return fmt.Errorf("there are more than %d steps", MaxSteps)
	}
	s, err := parseStep(line)
	if err != nil {
		return err
	}
	if fault := s.fault(p, rank); fault != "" {
		return fmt.Errorf("%v: %s", s, fault)
	}
	p.Steps[rank] = append(p.Steps[rank], s)
	return nil
}

// parseStep reads a step.
func parseStep(line []byte) (Step, error) {
	f := fields{line: line}
	s := Step{Op: opNamed(f.upTo(" ", 16)), Peer: -1}
	end := " from "
	switch {
	case s.Op == 0:
		f.bad = true
	case s.Op == Send || s.Op == Put:
		end = " to "
	case s.Op.alone():
		end = ""
	}
	if s.Op == Signal || s.Op == Await {
		s.Lo = f.number(end)
		s.Hi = s.Lo + 1
	} else {
		s.Lo, s.Hi = f.number(":"), f.number(end)
	}
	if !s.Op.alone() {
		s.Peer = f.number("")
	}
	if f.bad {
		return Step{}, fmt.Errorf("%.60q is not a step", line)
	}
	return s, nil
}

// opNamed is the operation of that name, or 0.
func opNamed(name string) Op {
	for o, have := range opNames {
		if have == name && name != "" {
			return Op(o)
		}
	}
	return 0
}
