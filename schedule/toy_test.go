package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// toy is a second, slow interpreter of plans that shares no code with Check. Its
// values are texts: rank r's contribution is the r-th letter, a reduction is
// "(incoming local)" without the blank, a finished value stands in "[]".
type toy struct {
	Plan
	done [][]bool
	held [][]string
}

// interpret runs p in a random one of its orders. It returns what the ranks hold
// in the end, or an error when p is wrong.
func interpret(p Plan, rng *rand.Rand) ([][]string, error) {
	t := toy{Plan: p}
	if err := t.start(); err != nil {
		return nil, err
	}
	for left := t.count(); left > 0; {
		ready := t.ready()
		if len(ready) == 0 {
			return nil, errors.New("stuck")
		}
		pick := ready[rng.IntN(len(ready))]
		if err := t.perform(pick[0], pick[1]); err != nil {
			return nil, err
		}
		left = t.count()
	}
	return t.held, t.judge()
}

// start fills the buffers and rejects steps that mean nothing.
func (t *toy) start() error {
	if len(t.Steps) != t.Ranks || t.Ranks < 1 || t.Chunks < 1 {
		return errors.New("size")
	}
	for r, steps := range t.Steps {
		t.done = append(t.done, make([]bool, len(steps)))
		t.held = append(t.held, make([]string, t.Chunks))
		for c := range t.Chunks {
			if t.Collective != AllGather || r == c {
				t.held[r][c] = letter(r)
			}
		}
		for _, s := range steps {
			reduces := s.Op == RecvReduce || s.Op == Finish
			badPeer := s.Peer < 0 || s.Peer >= t.Ranks || s.Peer == r
			if s.Op == Finish {
				badPeer = s.Peer != -1
			}
			if s.Op < Send || s.Op > Finish || badPeer || s.Lo < 0 || s.Lo >= s.Hi ||
				s.Hi > t.Chunks || reduces && t.Collective == AllGather {
				return errors.New("step")
			}
		}
	}
	return nil
}

func letter(rank int) string { return string(rune('A' + rank)) }

// count returns the number of steps to do.
func (t *toy) count() (left int) {
	for _, done := range t.done {
		for _, d := range done {
			if !d {
				left++
			}
		}
	}
	return left
}

// ready lists the sends and finishes that can be performed, as rank and index.
func (t *toy) ready() (list [][2]int) {
	for r, steps := range t.Steps {
		for i, s := range steps {
			if t.done[r][i] || t.blocked(r, i) {
				continue
			}
			if s.Op == Finish {
				list = append(list, [2]int{r, i})
			} else if s.Op == Send {
				if j := t.receive(s.Peer, r); j >= 0 && !t.blocked(s.Peer, j) {
					list = append(list, [2]int{r, i})
				}
			}
		}
	}
	return list
}

// blocked reports whether an earlier step of r must go before its step i.
func (t *toy) blocked(r, i int) bool {
	s := t.Steps[r][i]
	for j, e := range t.Steps[r][:i] {
		overlap := e.Lo < s.Hi && s.Lo < e.Hi && (e.Op != Send || s.Op != Send)
		sameWay := s.Op != Finish && e.Peer == s.Peer && (e.Op == Send) == (s.Op == Send)
		if !t.done[r][j] && (overlap || sameWay) {
			return true
		}
	}
	return false
}

// receive returns rank's first receive from peer that is to be done, or -1.
func (t *toy) receive(rank, peer int) int {
	for j, s := range t.Steps[rank] {
		if !t.done[rank][j] && (s.Op == Recv || s.Op == RecvReduce) && s.Peer == peer {
			return j
		}
	}
	return -1
}

// perform does a finish, or a send together with its receive.
func (t *toy) perform(r, i int) error {
	s := t.Steps[r][i]
	if s.Op == Finish {
		t.done[r][i] = true
		for c := s.Lo; c < s.Hi; c++ {
			if !complete(t.held[r][c], t.Ranks) {
				return errors.New("finished too early or twice")
			}
			t.held[r][c] = "[" + t.held[r][c] + "]"
		}
		return nil
	}
	j := t.receive(s.Peer, r)
	d := t.Steps[s.Peer][j]
	if s.Lo != d.Lo || s.Hi != d.Hi {
		return errors.New("chunks differ")
	}
	t.done[r][i], t.done[s.Peer][j] = true, true
	for c := s.Lo; c < s.Hi; c++ {
		in, to := t.held[r][c], &t.held[s.Peer][c]
		switch {
		case in == "":
			return errors.New("sent nothing")
		case d.Op == Recv:
			*to = in
		case strings.Contains(in+*to, "["):
			return errors.New("reduced after the finish")
		default:
			*to = "(" + in + *to + ")"
		}
	}
	return nil
}

// complete reports whether v is unfinished and holds every contribution once.
func complete(v string, ranks int) bool {
	for r := range ranks {
		if strings.Count(v, letter(r)) != 1 {
			return false
		}
	}
	return !strings.Contains(v, "[")
}

// judge looks at what the ranks hold in the end.
func (t *toy) judge() error {
	for r := range t.Ranks {
		for c, v := range t.held[r] {
			inner, ended := strings.CutSuffix(strings.TrimPrefix(v, "["), "]")
			reduced := ended && complete(inner, t.Ranks)
			ok := true
			switch t.Collective {
			case AllReduce:
				ok = reduced && v == t.held[0][c]
			case ReduceScatter:
				ok = reduced || r != c
			case AllGather:
				ok = v == letter(c)
			}
			if !ok {
				return fmt.Errorf("rank %d ends with %q in chunk %d", r, v, c)
			}
		}
	}
	return nil
}

// inOrder reports whether p's results hold the letters in alphabetical order.
func inOrder(p Plan, held [][]string) bool {
	for r := range held {
		for c, v := range held[r] {
			if p.Collective == AllGather || p.Collective == ReduceScatter && r != c {
				continue
			}
			last := 'A' - 1
			for _, l := range strings.Trim(v, "[]") {
				if l == '(' || l == ')' {
					continue
				}
				if l <= last {
					return false
				}
				last = l
			}
		}
	}
	return true
}
