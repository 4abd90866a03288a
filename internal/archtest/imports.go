package archtest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// findArrows compares the imports with the lattice.
func findArrows(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if _, ok := lattice[f.Dir]; !ok {
			bad = append(bad, Offence{File: f.Path,
				What: fmt.Sprintf("package %s has no place in internal/archtest/lattice.go", f.Dir)})
			continue
		}
		for _, path := range imports(f) {
			to, ours := strings.CutPrefix(path, root+"/")
			if ours && !mayImport(f, to) {
				bad = append(bad, Offence{File: f.Path,
					What: fmt.Sprintf("%s may not import %s", f.Dir, to)})
			}
		}
	}
	return bad
}

// mayImport reports whether the lattice lets f import the package to.
func mayImport(f *File, to string) bool {
	allowed := lattice[f.Dir]
	if f.Test {
		allowed = slices.Concat(allowed, testLattice[f.Dir], testSuites, []string{f.Dir})
	}
	return slices.Contains(allowed, to) || slices.Contains(allowed, anything)
}

// findC finds cgo.
func findC(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if slices.Contains(imports(f), "C") && !slices.Contains(mayUseC, f.Dir) {
			bad = append(bad, Offence{File: f.Path, What: fmt.Sprintf("imports \"C\"; only %s may", strings.Join(mayUseC, ", "))})
		}
	}
	return bad
}

// unsafeName matches the files that may import unsafe, as in a_unsafe.go,
// a_unsafe_linux.go and a_unsafe_test.go.
var unsafeName = regexp.MustCompile(`_unsafe(_[a-z0-9]+)*\.go$`)

// findUnsafe finds imports of unsafe that the file's name does not announce.
func findUnsafe(t *Tree) (bad []Offence) {
	for _, f := range t.Files {
		if slices.Contains(imports(f), "unsafe") && !unsafeName.MatchString(f.Path) && !slices.Contains(mayUseC, f.Dir) {
			bad = append(bad, Offence{File: f.Path, What: "imports unsafe but is not called *_unsafe.go"})
		}
	}
	return bad
}

// imports returns the paths that f imports.
func imports(f *File) (paths []string) {
	for _, i := range f.Syntax.Imports {
		path, _ := strconv.Unquote(i.Path.Value) // the parser has checked it
		paths = append(paths, path)
	}
	return paths
}
