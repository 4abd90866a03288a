package archtest

import (
	"os"
	"slices"
	"testing"
)

// TestRepository holds the repository to its rules.
func TestRepository(t *testing.T) {
	tree, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) < 50 || tree.Texts["go.mod"] == "" {
		t.Fatalf("this is not the repository: %d Go files", len(tree.Files))
	}
	for _, r := range Rules {
		t.Run(r.Name, func(t *testing.T) {
			for _, o := range slices.Concat(r.Judge(tree), r.stale(tree)) {
				t.Error(o)
			}
			if t.Failed() {
				t.Logf("the rule: %s", r.Why)
			}
		})
	}
}

// TestLattice checks the tables: each arrow points at a package that has a place
// itself, and following arrows never leads back.
func TestLattice(t *testing.T) {
	for _, table := range []map[string][]string{lattice, testLattice, {"tests": testSuites}} {
		for from, arrows := range table {
			for _, to := range arrows {
				if _, ok := lattice[to]; !ok && to != anything {
					t.Errorf("%s may import %s, which has no place", from, to)
				}
			}
		}
	}
	for from := range lattice {
		if path := cycle(from, nil); path != nil {
			t.Errorf("the arrows lead in a circle: %v", path)
		}
	}
}

// cycle returns a way along the arrows from a package back to itself, or nil.
func cycle(at string, path []string) []string {
	path = append(path, at)
	if slices.Contains(path[:len(path)-1], at) {
		return path
	}
	for _, to := range lattice[at] {
		if found := cycle(to, path); found != nil {
			return found
		}
	}
	return nil
}

// TestExceptionsNameRules finds exceptions from rules that do not exist.
func TestExceptionsNameRules(t *testing.T) {
	for name := range exceptions {
		if !slices.ContainsFunc(Rules, func(r Rule) bool { return r.Name == name }) {
			t.Errorf("exceptions from %q, which is no rule", name)
		}
	}
}
