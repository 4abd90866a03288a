package versus

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// setting is one way to run a peer.
type setting struct {
	library, name string
	transport     string // empty: any
	rare          bool   // left out when quick
	only          string // the collective it is for; empty: any
	command       func(s *Sides, j Job) Command
}

var openmpiShm = []string{"--mca", "pml", "ob1", "--mca", "btl", "vader,self"}
var openmpiTCP = []string{"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"}

func tuned(algorithm, segment int) []string {
	return []string{"--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", strconv.Itoa(algorithm),
		"--mca", "coll_tuned_allreduce_algorithm_segmentsize", strconv.Itoa(segment)}
}

func ucx(tls string) []string {
	return []string{"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any", "-x", "UCX_TLS=" + tls}
}

// settings are the best known ones of each peer.
var settings = []setting{
	{library: "openmpi", name: "default", transport: "shm", command: openmpi(openmpiShm)},
	{library: "openmpi", name: "segmented64k+huge", transport: "shm", only: "allreduce", command: openmpi(append(tuned(5, 64<<10), openmpiShm...), "--huge")},
	{library: "openmpi", name: "ucx", transport: "shm", command: openmpi(ucx("posix,cma,self"))},
	{library: "openmpi", name: "doubling", transport: "shm", rare: true, only: "allreduce", command: openmpi(append(tuned(3, 0), openmpiShm...))},
	{library: "openmpi", name: "sm", transport: "shm", rare: true, command: openmpi(append([]string{"--mca", "coll", "sm,basic,self,libnbc,inter"}, openmpiShm...))},
	{library: "openmpi", name: "default", transport: "tcp", command: openmpi(openmpiTCP)},
	{library: "openmpi", name: "segmented1m+huge", transport: "tcp", only: "allreduce", command: openmpi(append(tuned(5, 1<<20), openmpiTCP...), "--huge")},
	{library: "openmpi", name: "ucx", transport: "tcp", command: openmpi(ucx("tcp,self"))},
	{library: "openmpi", name: "doubling", transport: "tcp", rare: true, only: "allreduce", command: openmpi(append(tuned(3, 0), openmpiTCP...))},
	{library: "mpich", name: "default+huge", transport: "shm", command: mpich(nil, "--huge")},
	{library: "mpich", name: "doubling", transport: "shm", only: "allreduce", command: mpich([]string{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling"})},
	{library: "mpich", name: "default", transport: "tcp", command: mpich(mpichTCP)},
	{library: "mpich", name: "doubling", transport: "tcp", only: "allreduce", command: mpich(append([]string{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling"}, mpichTCP...))},
	{library: "gloo", name: "new_ring", transport: "tcp", only: "allreduce", command: gloo("new_ring")},
	{library: "gloo", name: "halving_doubling", transport: "tcp", rare: true, only: "allreduce", command: gloo("halving_doubling")},
	{library: "baidu", name: "original", only: "allreduce", rare: true, command: baidu()},
	{library: "baidu", name: "in-place", only: "allreduce", command: baidu("--in-place")},
	{library: "nccl", name: "nccl-tests", only: "allreduce", command: nccl},
}

var mpichTCP = []string{"MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"}

// Commands are the sides of j, ringo first.
func (s *Sides) Commands(j Job) []Command {
	var list []Command
	for _, memory := range s.Memory {
		list = append(list, s.own(j, memory)...)
	}
	for _, x := range settings {
		if !contains(s.Peers, x.library) || x.transport != "" && x.transport != j.Transport ||
			x.rare && s.Quick || x.only != "" && x.only != j.Collective || x.library == "gloo" && j.Type != "float32" || x.library == "baidu" && j.Type != "float32" {
			continue
		}
		c := x.command(s, j)
		c.Library, c.Config = x.library, x.name
		list = append(list, c)
	}
	return list
}

func contains(list []string, name string) bool {
	for _, have := range list {
		if have == name {
			return true
		}
	}
	return false
}

// own is ringo, one command for each number of iterations, since that holds for
// all sizes of a command.
func (s *Sides) own(j Job, memory string) (list []Command) {
	for _, size := range j.Sizes {
		b, n := strconv.Itoa(size.Bytes), strconv.Itoa(size.Iterations)
		args := []string{s.Arbench, "-np", strconv.Itoa(j.Ranks), "-t", j.Transport, "-C", j.Collective, "-d", j.Type, "--mode", j.mode(),
			"-b", b, "-e", b, "-n", n, "-w", strconv.Itoa(max(2, size.Iterations/4)), "--memory", memory, "-J", "-"}
		if j.Rewrite {
			args = append(args, "--rewrite")
		}
		list = append(list, Command{Library: Subject, Config: memory, Args: args, JSON: true})
	}
	return list
}

func (j Job) mode() string {
	if j.Throughput {
		return "throughput"
	}
	return "latency"
}

// arguments are those that all peers' programs share.
func (j Job) arguments(label string, more ...string) []string {
	args := append([]string{"--label", label}, more...)
	args = append(args, "--collective", j.Collective, "--type", j.Type, "--mode", j.mode(), "--budget", "1")
	if j.Rewrite {
		args = append(args, "--rewrite")
	}
	for _, size := range j.Sizes {
		args = append(args, strconv.Itoa(size.Bytes))
	}
	return args
}

// program finds a program of bench/peers, or says how to get it.
func (s *Sides) program(name string) (path, missing string) {
	path = filepath.Join(s.Bin, name)
	if _, err := os.Stat(path); err != nil {
		return path, "make -C bench/peers installs it and builds " + path
	}
	return path, ""
}

func openmpi(mca []string, more ...string) func(*Sides, Job) Command {
	return func(s *Sides, j Job) Command {
		path, missing := s.program("mpi.openmpi")
		args := append(mpirun(j.Ranks), mca...)
		args = append(append(args, path), j.arguments("x", more...)...)
		return Command{Args: args, Env: asRoot(), Missing: missing}
	}
}

func mpirun(ranks int) []string {
	args := []string{"mpirun.openmpi", "-np", strconv.Itoa(ranks)}
	if ranks > 2 {
		args = append(args, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
	}
	return args
}

func asRoot() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
}

func mpich(env []string, more ...string) func(*Sides, Job) Command {
	return func(s *Sides, j Job) Command {
		path, missing := s.program("mpi.mpich")
		args := append([]string{"mpirun.mpich", "-np", strconv.Itoa(j.Ranks), path}, j.arguments("x", more...)...)
		if j.Ranks > runtime.NumCPU() { // it polls without giving way; see yield.c
			env = append([]string{"LD_PRELOAD=" + filepath.Join(s.Bin, "yield.so")}, env...)
		}
		return Command{Args: args, Env: env, Missing: missing}
	}
}

func gloo(algorithm string) func(*Sides, Job) Command {
	return func(s *Sides, j Job) Command {
		path, missing := s.program("gloo")
		return Command{Args: append([]string{path, "--np", strconv.Itoa(j.Ranks), "--alg", algorithm}, j.arguments("x")...), Missing: missing}
	}
}

func baidu(more ...string) func(*Sides, Job) Command {
	return func(s *Sides, j Job) Command {
		path, missing := s.program("baidu.openmpi")
		mca := openmpiShm
		if j.Transport == "tcp" {
			mca = openmpiTCP
		}
		args := append(append(mpirun(j.Ranks), mca...), path)
		return Command{Args: append(args, j.arguments("x", more...)...), Env: asRoot(), Missing: missing}
	}
}

// nccl needs nccl-tests and GPUs. What it prints is no row of ours: it is here to
// be named where it is missing.
func nccl(s *Sides, j Job) Command {
	if _, err := exec.LookPath("all_reduce_perf"); err != nil {
		return Command{Missing: "build nccl-tests and put all_reduce_perf on PATH; it needs an NVIDIA GPU for each rank"}
	}
	first, last := j.Sizes[0].Bytes, j.Sizes[len(j.Sizes)-1].Bytes
	script := fmt.Sprintf(`all_reduce_perf -g %d -b %d -e %d -f 4 | awk '$1 ~ /^[0-9]+$/ {printf "nccl,x,%d,%%s,20,%%s,%%s,%%s,%%s\n", $1, $10, $10, $10, $13}'`,
		j.Ranks, first, last, j.Ranks)
	return Command{Args: []string{"sh", "-c", script}}
}

// label replaces the config column by the setting's name.
func label(rows []byte, config string) []byte {
	return []byte(strings.ReplaceAll(string(rows), ",x,", ","+config+","))
}
