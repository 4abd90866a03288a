package versus

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
)

// setting is one way to run a peer, and what it can be best at: a whole run stays
// short because sizes are left out at which a setting has no chance.
type setting struct {
	library, name string
	transport     string   // empty: any
	collectives   []string // empty: any
	types         []string // empty: any
	from, to      int      // sizes in bytes; 0: any
	rare          bool     // left out when quick
	command       func(s *Sides, j Job, label string) Command
}

// The boundaries between sizes in settings.
const (
	small  = 64 << 10
	medium = 1 << 20
	large  = 16 << 20
)

var (
	reduces   = []string{"allreduce"}
	floats    = []string{"float32"}
	smallAlgo = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling"
	gathers   = "MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=release_gather"
	seg64k    = []string{"UCX_TCP_TX_SEG_SIZE=64k", "UCX_TCP_RX_SEG_SIZE=64k"}
)

// settings are the best known ones of each peer: every one wins somewhere, or is
// what the peer does by itself.
var settings = []setting{
	{library: "openmpi", name: "default", transport: "shm", command: openmpi(openmpiShm)},
	{library: "openmpi", name: "segmented64k+huge", transport: "shm", collectives: reduces, from: small + 1, command: openmpi(tuned(openmpiShm, 5, 64<<10), "--huge")},
	{library: "openmpi", name: "ucx", transport: "shm", to: medium, command: openmpi(ucx("posix,cma,self"))},
	{library: "openmpi", name: "doubling", transport: "shm", collectives: reduces, to: small, rare: true, command: openmpi(tuned(openmpiShm, 3, 0))},
	{library: "openmpi", name: "sm", transport: "shm", to: small, rare: true, command: openmpi(append([]string{"--mca", "coll", "sm,basic,self,libnbc,inter"}, openmpiShm...))},
	{library: "mpich", name: "default+huge", transport: "shm", command: mpich(nil, "--huge")},
	{library: "mpich", name: "doubling", transport: "shm", collectives: reduces, to: small, command: mpich([]string{smallAlgo})},
	{library: "mpich", name: "release_gather", transport: "shm", collectives: reduces, to: small, rare: true, command: mpich([]string{gathers})},

	{library: "openmpi", name: "default", transport: "tcp", command: openmpi(openmpiTCP)},
	{library: "openmpi", name: "segmented1m+huge", transport: "tcp", collectives: reduces, from: small + 1, command: openmpi(tuned(openmpiTCP, 5, 1<<20), "--huge")},
	{library: "openmpi", name: "ucx", transport: "tcp", to: small, command: openmpi(ucx("tcp,self"))},
	{library: "openmpi", name: "doubling", transport: "tcp", collectives: reduces, to: small, rare: true, command: openmpi(tuned(openmpiTCP, 3, 0))},
	{library: "mpich", name: "default", transport: "tcp", to: large, command: mpich(mpichTCP)},
	{library: "mpich", name: "doubling", transport: "tcp", collectives: reduces, to: small, command: mpich(append([]string{smallAlgo}, mpichTCP...))},
	{library: "mpich", name: "segments64k", transport: "tcp", to: large, rare: true, command: mpich(append(seg64k, mpichTCP...))},
	{library: "gloo", name: "new_ring", transport: "tcp", collectives: reduces, command: gloo("new_ring")},
	{library: "gloo", name: "halving_doubling", transport: "tcp", collectives: reduces, types: floats, rare: true, command: gloo("halving_doubling")},
	{library: "gloo", name: "new_bcube", transport: "tcp", collectives: reduces, from: small, to: large, rare: true, command: gloo("new_bcube")},
	{library: "gloo", name: "ring", transport: "tcp", collectives: reduces, types: floats, to: small, rare: true, command: gloo("ring")},
	{library: "gloo", name: "default", transport: "tcp", collectives: []string{"allgather", "broadcast"}, command: gloo("new_ring")},

	{library: "baidu", name: "original", collectives: reduces, types: floats, to: large, rare: true, command: baidu()},
	{library: "baidu", name: "in-place", collectives: reduces, types: floats, to: large, command: baidu("--in-place")},
	{library: "nccl", name: "nccl-tests", collectives: reduces, command: nccl},
}

// suits returns the part of j that x is for; none when it has no sizes.
func (x *setting) suits(j Job) Job {
	any := func(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
	sizes := j.Sizes
	j.Sizes = nil
	if x.transport != "" && x.transport != j.Transport || !any(x.collectives, j.Collective) || !any(x.types, j.Type) {
		return j
	}
	for _, bytes := range sizes {
		if bytes >= x.from && (x.to == 0 || bytes <= x.to) {
			j.Sizes = append(j.Sizes, bytes)
		}
	}
	return j
}

var (
	openmpiShm = []string{"--mca", "pml", "ob1", "--mca", "btl", "vader,self"}
	openmpiTCP = []string{"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"}
	mpichTCP   = []string{"MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"}
)

// tuned forces an algorithm of Open MPI: 3 is recursive doubling, 5 the segmented
// ring.
func tuned(transport []string, algorithm, segment int) []string {
	return append([]string{"--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", strconv.Itoa(algorithm),
		"--mca", "coll_tuned_allreduce_algorithm_segmentsize", strconv.Itoa(segment)}, transport...)
}

func ucx(tls string) []string {
	return []string{"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any", "-x", "UCX_TLS=" + tls}
}

// program finds a program of bench/peers and the launcher it needs, or says how to
// get them.
func (s *Sides) program(name, launcher string) (path, missing string) {
	path = filepath.Join(s.Bin, name)
	if _, err := os.Stat(path); err != nil {
		return path, "make -C bench/peers installs it and builds " + path
	}
	if launcher != "" {
		if _, err := exec.LookPath(launcher); err != nil {
			return path, launcher + " is not on PATH; make -C bench/peers installs it"
		}
	}
	return path, ""
}

func openmpi(mca []string, more ...string) func(*Sides, Job, string) Command {
	return onOpenMPI("mpi.openmpi", func(string) []string { return mca }, more)
}

func baidu(more ...string) func(*Sides, Job, string) Command {
	return onOpenMPI("baidu.openmpi", func(transport string) []string {
		if transport == "tcp" {
			return openmpiTCP
		}
		return openmpiShm
	}, more)
}

// onOpenMPI starts a program with Open MPI's launcher, which refuses root and more
// ranks than processors unless it is told otherwise.
func onOpenMPI(program string, mca func(transport string) []string, more []string) func(*Sides, Job, string) Command {
	return func(s *Sides, j Job, label string) Command {
		path, missing := s.program(program, "mpirun.openmpi")
		args := []string{"mpirun.openmpi", "-np", strconv.Itoa(j.Ranks)}
		if j.Ranks > 2 {
			args = append(args, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
		}
		args = append(append(args, mca(j.Transport)...), path)
		c := Command{Args: append(args, j.arguments(label, more...)...), Missing: missing}
		if os.Geteuid() == 0 {
			c.Env = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
		}
		return c
	}
}

func mpich(env []string, more ...string) func(*Sides, Job, string) Command {
	return func(s *Sides, j Job, label string) Command {
		path, missing := s.program("mpi.mpich", "mpirun.mpich")
		c := Command{Env: slices.Clone(env), Missing: missing,
			Args: append([]string{"mpirun.mpich", "-np", strconv.Itoa(j.Ranks), path}, j.arguments(label, more...)...)}
		if j.Ranks > runtime.NumCPU() { // it polls without giving way; see yield.c
			c.Env = append(c.Env, "LD_PRELOAD="+filepath.Join(s.Bin, "yield.so"))
		}
		return c
	}
}

func gloo(algorithm string) func(*Sides, Job, string) Command {
	return func(s *Sides, j Job, label string) Command {
		path, missing := s.program("gloo", "")
		return Command{Args: append([]string{path, "--np", strconv.Itoa(j.Ranks), "--alg", algorithm}, j.arguments(label)...), Missing: missing}
	}
}
