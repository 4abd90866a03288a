package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/google/renameio/v2"

	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/reduce"
)

const tuneUsage = `arbench tune measures what messages and bytes cost on this machine, in a few
seconds, and writes a cost model for --profile and allreduce.Config.Profile.

  -o FILE           where to write it; - is standard output
                    (ringo/profile.json in the user's configuration directory)
  --network FILE    results of arbench -np 2 -a flat -b 4 -e 4M -f 1024 -J FILE
                    between two hosts, to take the network's costs from
`

// tuneCommand measures and writes a profile.
func tuneCommand(args []string, out io.Writer) error {
	f := flag.NewFlagSet("tune", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	path := f.String("o", "", "")
	network := f.String("network", "", "")
	if err := f.Parse(args); err == flag.ErrHelp {
		return printed(io.WriteString(out, tuneUsage))
	} else if err != nil {
		return misused("%w; arbench tune -h lists the flags", err)
	}
	if *path == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return misused("%w; give a file with -o", err)
		}
		*path = filepath.Join(dir, "ringo", "profile.json")
	}
	p, err := tune(*network, os.Stderr)
	if err != nil {
		return err
	}
	return saveProfile(p, *path, out)
}

func saveProfile(p *choose.Profile, path string, out io.Writer) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if path == "-" {
		return printed(out.Write(text))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	return printed(fmt.Fprintf(out, "wrote %s\n", path))
}

// tune measures every link that this machine has by itself.
func tune(network string, log io.Writer) (*choose.Profile, error) {
	p := choose.Default()
	p.Name, p.Cores = hostName(), runtime.NumCPU()
	for _, l := range []struct {
		name string
		args []string
		to   *choose.Link
	}{
		{"shared memory", []string{"-t", "shm"}, &p.Shared},
		{"loopback", []string{"-t", "tcp", "-a", "flat"}, &p.Loopback},
	} {
		report, err := measureHere(l.args)
		if err != nil {
			fmt.Fprintf(log, "%s: %v; its default costs stay\n", l.name, err)
			continue
		}
		*l.to = fit(report, l.to.MessageNS, log, l.name)
	}
	p.ReducePSPerByte = reduceCost()
	fmt.Fprintf(log, "%-14s %d ps per byte\n", "addition", p.ReducePSPerByte)
	if network != "" {
		text, err := os.ReadFile(network)
		if err != nil {
			return nil, err
		}
		var report bench.Report
		if err := json.Unmarshal(text, &report); err != nil {
			return nil, fmt.Errorf("%s holds no results: %w", network, err)
		}
		if n := len(report.Results); n < 2 {
			return nil, fmt.Errorf("%s holds results of %d sizes; two are needed", network, n)
		}
		p.Network = fit(report, p.Network.MessageNS, log, "network")
	}
	return p, p.Validate()
}

// measureHere runs two ranks of this program at two sizes.
func measureHere(args []string) (report bench.Report, err error) {
	self, err := os.Executable()
	if err != nil {
		return report, err
	}
	args = append([]string{"-np", "2", "-b", "4", "-e", "4M", "-f", "1048576", "-n", "200", "-c", "0", "--mode", "latency", "-J", "-"}, args...)
	cmd := exec.Command(self, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return report, fmt.Errorf("%w: %s", err, lastLine(stderr.Bytes()))
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return report, err
	}
	if len(report.Results) != 2 {
		return report, fmt.Errorf("%d results of two sizes", len(report.Results))
	}
	return report, nil
}

func lastLine(text []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return lines[len(lines)-1]
}

// fit takes latency and time per byte from a small and a large size: of an
// exchange between two ranks, in which each sends all it has to the other.
func fit(r bench.Report, message int64, log io.Writer, name string) choose.Link {
	small, large := r.Results[0], r.Results[len(r.Results)-1]
	total := int64(small.Quantiles.P50 * 1e3)
	l := choose.Link{MessageNS: min(message, total/4)}
	l.LatencyNS = max(total-2*l.MessageNS, 1)
	l.PSPerByte = max(int64((large.Quantiles.P50-small.Quantiles.P50)*1e6/float64(max(large.Size-small.Size, 1))), 1)
	fmt.Fprintf(log, "%-14s %v for a few bytes, %d ps per byte\n", name, time.Duration(total), l.PSPerByte)
	return l
}

// reduceCost is the time in picoseconds to add a byte to another, from memory.
func reduceCost() int64 {
	const n = 16 << 20
	a, b := make([]byte, n), make([]byte, n)
	kernel, err := reduce.Sum.Kernel(reduce.Float32)
	if err != nil {
		return 40
	}
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		kernel(a, a, b)
		best = min(best, time.Since(start))
	}
	return max(int64(best)*1000/n, 1)
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "host " + strconv.Itoa(os.Getpid())
	}
	return name
}
