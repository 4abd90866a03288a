package archtest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// rootRequires is all that the root module may require.
var rootRequires = []string{"golang.org/x/sys"}

// findRootModule finds what the root module requires beyond rootRequires,
// directly or not.
func findRootModule(t *Tree) (bad []Offence) {
	for _, r := range requirements(t.Texts["go.mod"]) {
		if !slices.Contains(rootRequires, r.module) {
			bad = append(bad, Offence{File: "go.mod", What: "requires " + r.module})
		}
	}
	return bad
}

// findDependencies finds direct dependencies of any module that the
// documentation does not list.
func findDependencies(t *Tree) (bad []Offence) {
	const list = "docs/DEPENDENCIES.md"
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		if path.Base(name) != "go.mod" {
			continue
		}
		for _, r := range requirements(t.Texts[name]) {
			ours := r.module == root || strings.HasPrefix(r.module, root+"/")
			if !ours && !r.indirect && !strings.Contains(t.Texts[list], "`"+r.module+"`") {
				bad = append(bad, Offence{File: name, What: fmt.Sprintf("requires %s, which %s does not list", r.module, list)})
			}
		}
	}
	return bad
}

// requirement is one required module of a go.mod.
type requirement struct {
	module   string
	indirect bool
}

// requirements returns what a go.mod, as the go command writes it, requires.
func requirements(mod string) (all []requirement) {
	block := ""
	for line := range strings.Lines(mod) {
		text, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(text)
		switch {
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case len(words) == 1 && words[0] == ")":
			block = ""
			continue
		case block != "":
			words = slices.Insert(words, 0, block)
		}
		if len(words) == 3 && words[0] == "require" {
			all = append(all, requirement{words[1], strings.TrimSpace(comment) == "indirect"})
		}
	}
	return all
}
