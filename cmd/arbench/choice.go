package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringo-ccl/ringo/choose"
)

// choice is a flag whose value is one of a few names.
type choice struct {
	noun      string
	available []string
	planned   []string // known names that do not work yet
}

var (
	algorithms = choice{noun: "algorithm", available: append([]string{"auto"}, choose.Algorithms()...), planned: []string{"tree"}}
	transports = choice{noun: "transport", available: []string{"auto", "inproc", "shm", "tcp"}, planned: []string{"verbs"}}
	devices    = choice{noun: "device", available: []string{"cpu"}, planned: []string{"cuda"}}
)

// check refuses what is not available, and says what is.
func (c choice) check(name string) error {
	if slices.Contains(c.available, name) {
		return nil
	}
	kind, _, _ := strings.Cut(name, ":") // cuda:0
	if slices.Contains(c.planned, kind) {
		return fmt.Errorf("%s %s is not available yet; available: %s", c.noun, name, strings.Join(c.available, ", "))
	}
	return fmt.Errorf("there is no %s %q; available: %s", c.noun, name, strings.Join(c.available, ", "))
}

// into is a flag's setter.
func (c choice) into(to *string) func(string) error {
	return func(name string) error {
		if err := c.check(name); err != nil {
			return err
		}
		*to = name
		return nil
	}
}
