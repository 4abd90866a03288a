package transporttest

import (
	"os"
	"regexp"
	"testing"
)

// TestContract holds the numbered sentences of package transport against the
// subtests.
func TestContract(t *testing.T) {
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range append(append([]subtest{}, firstFive...), others...) {
		names = append(names, s.name)
	}
	names = append(names, "Memory")
	said := regexp.MustCompile(`(?m)^//\s+(\d+)\. (\w+): `).FindAllStringSubmatch(string(text), -1)
	if len(said) != len(names) {
		t.Errorf("the contract has %d sentences and the suite %d subtests", len(said), len(names))
	}
	for i := range min(len(said), len(names)) {
		if said[i][2] != names[i] {
			t.Errorf("sentence %s is about %s and subtest %d is %s", said[i][1], said[i][2], i+1, names[i])
		}
	}
}
