package main

import (
	"flag"
	"strings"
	"testing"
)

// TestNonsense holds that each senseless command line ends with status 2 and one
// line, which says what to do.
func TestNonsense(t *testing.T) {
	for args, says := range map[string]string{
		"-b 10X":                    "suffix K, M or G",
		"-np 0":                     "give 1 to 1024",
		"-np many":                  "-h lists the flags",
		"-t verbs":                  "not available yet; available: auto, inproc, shm, tcp",
		"-t pigeon":                 "there is no transport",
		"--device cuda:1":           "available: cpu",
		"-C alltoall":               "not available yet",
		"-C frob":                   "there is no collective",
		"-a tree":                   "available: auto, binomial",
		"-o xor":                    "valid operations: sum",
		"-d complex":                "valid types: int8",
		"--frob":                    "-h lists the flags",
		"stray":                     "flags begin with a dash",
		"-b 2M -e 1M":               "smaller than the first",
		"-f 1":                      "at least 2",
		"-f 2 -i 4K":                "exclude each other",
		"--sizes 4,4X":              "suffix K, M or G",
		"--sizes 4,8 -b 4":          "excludes -b",
		"--budget -1s":              "positive duration",
		"-n 0":                      "at least 1",
		"-w -1":                     "0 or more",
		"-c maybe":                  "give 0 or 1",
		"--mode fast":               "throughput or latency",
		"--plot a.jpg":              ".svg or .png",
		"-J /nonexistent/x.json":    "cannot write /nonexistent/x.json",
		"-J .":                      "directory",
		"-J . -t inproc":            "directory",
		"-J a --csv a":              "different files",
		"--port-range 9-1":          "LOW-HIGH",
		"--listen nowhere":          "IP address",
		"--timeout -1s":             "positive duration",
		"--depth 1000":              "depth 1000",
		"--conns 99":                "1 to 16",
		"--min-busbw NaN":           "positive number",
		"-np 1 --min-busbw 1":       "at least 2 ranks",
		"--vs frob":                 "available: openmpi, mpich",
		"--vs gloo -t inproc":       "available: shm, tcp",
		"--vs gloo -np 1":           "from 2 to",
		"--vs gloo --sizes 6":       "multiples of 4",
		"--vs gloo -b 8 -e 4":       "smaller than the first",
		"--vs gloo --rounds 0":      "at least 1",
		"--vs gloo --budget 0":      "positive budget",
		"--vs gloo --plot x.gif":    ".svg or .png",
		"--vs gloo -J /nowhere/x":   "cannot write /nowhere/x",
		"plan -a frob":              "there is no allreduce algorithm",
		"plan -C frob":              "use allreduce",
		"plan -np 0":                "give 1 to",
		"plan -np 3 --order 0,1":    "the order lists 2 ranks",
		"plan -np 2 --order one,0":  "write them like",
		"plan --frob":               "-h lists the flags",
		"plan -np 2 --order 0,1 xx": "unexpected argument",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := arbench(t, strings.Fields(args)...)
			if r.status != exitUsage || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, says) || r.stdout != "" {
				t.Errorf("status %d, want 2 and one line with %q; standard error: %s standard output: %s", r.status, says, r.stderr, r.stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"-h", "--help", "-np 2 -h"} {
		if r := arbench(t, strings.Fields(args)...); r.status != 0 || r.stdout != usage || r.stderr != "" {
			t.Errorf("%s: status %d, standard error %q", args, r.status, r.stderr)
		}
	}
	if r := arbench(t, "--vs", "-h"); r.status != 0 || r.stdout != versusUsage {
		t.Errorf("--vs -h: status %d, %q", r.status, r.stdout)
	}
	if r := arbench(t, "plan", "-h"); r.status != 0 || r.stdout != planUsage {
		t.Errorf("plan -h: status %d, %q", r.status, r.stdout)
	}
}

// TestHelpNamesEveryFlag keeps the help complete, and within 80 columns.
func TestHelpNamesEveryFlag(t *testing.T) {
	defaults().flags().VisitAll(func(f *flag.Flag) {
		dashes := "--"
		if len(f.Name) == 1 || f.Name == "np" {
			dashes = "-"
		}
		if !strings.Contains(usage, " "+dashes+f.Name) {
			t.Errorf("the help lacks %s%s", dashes, f.Name)
		}
	})
	for line := range strings.Lines(usage + planUsage + versusUsage) {
		if len(line) > 90 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestVersion(t *testing.T) {
	if r := arbench(t, "--version"); r.status != 0 || !strings.HasPrefix(r.stdout, "arbench ") || !strings.Contains(r.stdout, "ringo ") {
		t.Errorf("status %d, %q", r.status, r.stdout)
	}
}

// TestOneEndOfTheSizes moves the default of the other end out of the way.
func TestOneEndOfTheSizes(t *testing.T) {
	for args, want := range map[string][2]int{"-e 512": {512, 512}, "-b 128M": {128 << 20, 128 << 20}, "-e 2K": {1 << 10, 2 << 10}, "-b 0": {0, 64 << 20}} {
		o, err := parseOptions(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{o.bench.Sizes.First, o.bench.Sizes.Last}; got != want {
			t.Errorf("%s: %v; want %v", args, got, want)
		}
	}
}
