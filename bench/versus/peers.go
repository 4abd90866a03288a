package versus

import (
	"slices"
	"strconv"
	"strings"
)

// Peers lists the names of the libraries that can be compared with.
func Peers() []string { return []string{"openmpi", "mpich", "gloo", "baidu", "nccl"} }

// Sides builds the commands of the wanted peers and of ringo.
type Sides struct {
	Arbench string   // this program
	Bin     string   // where bench/peers/Makefile puts its programs
	Peers   []string // names of Peers
	Memory  []string // the kinds of buffers that ringo is measured with, as arbench's --memory
	Quick   bool     // only the settings that are best most often
}

// Commands are the sides of j, ringo first.
func (s *Sides) Commands(j Job) []Command {
	var list []Command
	for _, memory := range s.Memory {
		list = append(list, s.own(j, memory))
	}
	for _, x := range settings {
		part := x.suits(j)
		if !slices.Contains(s.Peers, x.library) || x.rare && s.Quick || len(part.Sizes) == 0 {
			continue
		}
		c := x.command(s, part, x.name)
		c.Library, c.Config, c.Rows = x.library, x.name, len(part.Sizes)
		list = append(list, c)
	}
	return list
}

// own is ringo.
func (s *Sides) own(j Job, memory string) Command {
	args := []string{s.Arbench, "-np", strconv.Itoa(j.Ranks), "-t", j.Transport, "-C", j.Collective, "-d", j.Type, "--mode", j.mode(),
		"--sizes", strings.Join(j.sizes(), ","), "-n", strconv.Itoa(j.Iterations), "-w", strconv.Itoa(j.WarmUp), "--budget", j.Budget.String(),
		"--memory", memory, "-J", "-"}
	if j.Rewrite {
		args = append(args, "--rewrite")
	}
	return Command{Library: Subject, Config: memory, Args: args, Format: Arbench}
}

func (j Job) mode() string {
	if j.Throughput {
		return "throughput"
	}
	return "latency"
}

func (j Job) sizes() []string {
	var list []string
	for _, bytes := range j.Sizes {
		list = append(list, strconv.Itoa(bytes))
	}
	return list
}

// arguments are those that all programs of bench/peers share.
func (j Job) arguments(label string, more ...string) []string {
	args := append([]string{"--label", label}, more...)
	args = append(args, "--collective", j.Collective, "--type", j.Type, "--mode", j.mode(), "--iters", strconv.Itoa(j.Iterations),
		"--warmup", strconv.Itoa(j.WarmUp), "--budget", strconv.FormatFloat(j.Budget.Seconds(), 'g', -1, 64))
	if j.Rewrite {
		args = append(args, "--rewrite")
	}
	return append(args, j.sizes()...)
}
