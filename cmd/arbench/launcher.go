package main

import (
	"fmt"
	"os"

	"github.com/ringo-ccl/ringo/rendezvous"
)

// launcher is what the environment says about this process.
type launcher struct {
	found       bool
	own         bool // it is the arbench that started this process
	rank, ranks int
}

// findLauncher reads the environment.
func findLauncher() (launcher, error) {
	l, found, err := rendezvous.FromEnv(os.Getenv)
	if err != nil {
		return launcher{}, &usageError{err}
	}
	return launcher{found: found, own: os.Getenv(reportVariable) != "", rank: l.Rank, ranks: l.Ranks}, nil
}

// warn tells a user who gave -np under a launcher that it has no effect.
func (l launcher) warn(o *options) {
	if o.ranksSet && !l.own && l.rank == 0 {
		fmt.Fprintf(os.Stderr, "arbench: -np %d has no effect under a launcher, which started %d\n", o.ranks, l.ranks)
	}
}
