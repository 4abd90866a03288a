package archtest

import (
	"fmt"
	"maps"
	"slices"
)

// Rule is one thing that holds for the whole repository.
type Rule struct {
	// Name is what exceptions and tests call the rule.
	Name string
	// Why is what it is good for, for those who have just broken it.
	Why string

	find func(*Tree) []Offence
}

// Rules are the rules of the house.
var Rules = []Rule{
	{"arrows", "packages know only what their place in lattice.go lets them know", findArrows},
	{"c", "a plain go build works everywhere, so C stands behind few doors", findC},
	{"unsafe", "what the type system does not check is found by file name: *_unsafe.go", findUnsafe},
	{"init", "nothing happens before main; what is needed is passed in", findInit},
	{"exits", "only main ends the process; everything else returns an error", findExits},
	{"panics", "what a peer or a cable can do is an error; see exceptions.go", findPanics},
	{"sleeps", "a test waits for what it waits for; see exceptions.go", findSleeps},
	{"package comments", "each package says in a comment what it is for", findPackageComments},
	{"comments", "each exported name says in a comment what it is", findComments},
	{"length", "one noun per file: look again at 400 lines", findLength},
	{"names", "a package is called after what it provides", findNames},
	{"root module", "users of the library get no heavy dependencies; those live in nested modules", findRootModule},
	{"dependencies", "docs/DEPENDENCIES.md lists what is used, its licence and why", findDependencies},
	{"words", "the text says what is so, to any reader and on any machine", findWords},
}

// Judge returns what breaks r in t and is not among the exceptions.
func (r Rule) Judge(t *Tree) []Offence {
	return slices.DeleteFunc(r.find(t), func(o Offence) bool {
		return exceptions[r.Name][o.key()] != ""
	})
}

// stale returns the exceptions from r that t no longer needs.
func (r Rule) stale(t *Tree) []Offence {
	left := maps.Clone(exceptions[r.Name])
	for _, o := range r.find(t) {
		delete(left, o.key())
	}
	var stale []Offence
	for _, key := range slices.Sorted(maps.Keys(left)) {
		stale = append(stale, Offence{File: "internal/archtest/exceptions.go",
			What: fmt.Sprintf("%s: %q permits nothing any more", r.Name, key)})
	}
	return stale
}
