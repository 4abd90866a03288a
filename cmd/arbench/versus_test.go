package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersus compares with a peer that is a script, and names one that is missing.
func TestVersus(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nfor size in 4 1024; do echo gloo,new_ring,$2,$size,9,1e6,2e6,3e6,0,2e6,1e6; done\n"
	if err := os.WriteFile(filepath.Join(dir, "gloo"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	name := func(n string) string { return filepath.Join(dir, n) }
	r := arbench(t, "--vs", "gloo,mpich", "--peers", dir, "-np", "2,3", "-t", "tcp", "--sizes", "4,1K", "--quick", "--rounds", "2", "--memory", "ordinary",
		"-n", "5", "-w", "1", "-J", name("r.json"), "--csv", name("r.csv"), "--plot", name("r.svg"))
	if r.status != 0 {
		t.Fatalf("status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	for _, want := range []string{"**P = 2**", "not installed: mpich: make -C bench/peers", "2000000 new_ring", "| ahead |", "| 1K |"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, r.stdout)
		}
	}
	for file, want := range map[string]string{"r.json": `"best_peer": "gloo new_ring"`, "r.csv": "ringo,ordinary,3,1024,5,", "r.svg": "P = 2"} {
		if text, err := os.ReadFile(name(file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v\n%s", file, want, err, text)
		}
	}
}
