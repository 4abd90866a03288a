package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MissingError says who had not joined when Gather's time was up.
type MissingError struct {
	Ranks   int   // the world size
	Missing []int // sorted
	Err     error // the context's error and, where it has one, its cause
}

// Error is the sentence of MissingSentence and why the waiting ended.
func (e *MissingError) Error() string {
	if len(e.Missing) == 0 {
		return fmt.Sprintf("all %d joined, but %v", e.Ranks, e.Err)
	}
	return fmt.Sprintf("%s: %v", MissingSentence(e.Ranks, e.Missing), e.Err)
}

// Unwrap returns why the waiting ended.
func (e *MissingError) Unwrap() error { return e.Err }

// ended is the error of a context that was given a cause. It reads as the cause
// and is both.
type ended struct{ cause, err error }

func (e *ended) Error() string   { return e.cause.Error() }
func (e *ended) Unwrap() []error { return []error{e.cause, e.err} }

// because says why ctx ended.
func because(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &ended{cause, err}
}

// DuplicateRankError says that two processes use one rank number.
type DuplicateRankError struct {
	Rank          int
	First, Second string // who they are, in the order they came
}

// Error names both processes.
func (e *DuplicateRankError) Error() string {
	return fmt.Sprintf("rank %d is both %s and %s: each process needs its own rank, and each run its own file store",
		e.Rank, e.First, e.Second)
}

// maxRanges is how many ranges MissingSentence lists.
const maxRanges = 16

// MissingSentence says who of ranks has joined, given the sorted list of those
// who have not: "6 of 8 joined; missing 3, 7". Neighbours are drawn together
// ("3-5, 7"), and a very long list ends in "and 12 more".
func MissingSentence(ranks int, missing []int) string {
	joined := fmt.Sprintf("%d of %d joined", ranks-len(missing), ranks)
	if len(missing) == 0 {
		return joined
	}
	var parts []string
	rest := missing
	for len(rest) > 0 && len(parts) < maxRanges {
		n, part := run(rest), strconv.Itoa(rest[0])
		if n > 2 {
			part += "-" + strconv.Itoa(rest[n-1])
		} else {
			n = 1 // "3, 4" reads better than "3-4"
		}
		parts = append(parts, part)
		rest = rest[n:]
	}
	sentence := joined + "; missing " + strings.Join(parts, ", ")
	if len(rest) > 0 {
		sentence += fmt.Sprintf(" and %d more", len(rest))
	}
	return sentence
}

// run is how many numbers at the start of sorted follow each other.
func run(sorted []int) int {
	n := 1
	for n < len(sorted) && sorted[n] == sorted[0]+n {
		n++
	}
	return n
}
