package archtest

import (
	"fmt"
	"slices"
)

// maxLines is how long a file may be. Tests may be longer: a table is one noun.
const maxLines = 400

// findLength finds long files.
func findLength(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if n := t.lines(f); n > maxLines && !f.Test && !f.Generated {
			bad = append(bad, Offence{File: f.Path, What: fmt.Sprintf("has %d lines, more than %d", n, maxLines)})
		}
	}
	return bad
}

// emptyNames are package names that say nothing.
var emptyNames = []string{"base", "common", "helper", "helpers", "misc", "util", "utils"}

// findNames finds packages whose name says nothing.
func findNames(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if name := f.Syntax.Name.Name; slices.Contains(emptyNames, name) {
			bad = append(bad, Offence{File: f.Path, What: fmt.Sprintf("package %s", name)})
		}
	}
	return bad
}
