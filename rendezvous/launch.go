package rendezvous

import (
	"errors"
	"fmt"
	"strconv"
)

// DefaultPort is where rank 0 of a Kubernetes Job serves the store unless
// RINGO_SERVICE names another port.
const DefaultPort = 29000

// Launch is what a launcher says about this process.
type Launch struct {
	// Launcher is "torchrun", "openmpi", "mpich", "slurm", "kubernetes", or
	// "ringo" when RINGO_RANK and RINGO_WORLD_SIZE say it all.
	Launcher string
	// Rank is this process, of Ranks.
	Rank, Ranks int
	// LocalRank is this process among the LocalRanks on its host. LocalRanks is
	// 0, and LocalRank means nothing, where the launcher does not say.
	LocalRank, LocalRanks int
	// Store is where the ranks meet: "tcp://host:port", "file:///dir", or ""
	// for a job of one rank that needs no others.
	Store string
	// Serve says that this rank serves the TCP store at Store's port.
	Serve bool
	// Token is the job's shared secret, or nil.
	Token []byte
}

// FromEnv reads what the launcher that started this process left in its
// environment, through getenv (os.Getenv, mostly). It returns false, and no
// error, where there is no launcher.
//
//	launcher    rank                  ranks                 where the ranks meet
//	torchrun    RANK                  WORLD_SIZE            MASTER_ADDR:MASTER_PORT
//	openmpi     OMPI_COMM_WORLD_RANK  OMPI_COMM_WORLD_SIZE  one host: a directory; else RINGO_STORE
//	mpich       PMI_RANK              PMI_SIZE              one host: a directory; else RINGO_STORE
//	slurm       SLURM_PROCID          SLURM_STEP_NUM_TASKS  first of SLURM_STEP_NODELIST
//	kubernetes  JOB_COMPLETION_INDEX  RINGO_WORLD_SIZE      <job>-0.RINGO_SERVICE
//
// torchrun: where its agent holds MASTER_PORT itself
// (TORCHELASTIC_USE_AGENT_STORE=True), the store is at MASTER_PORT+1.
//
// Open MPI, MPICH: the directory is in os.TempDir, named after the user,
// PMIX_NAMESPACE and the parent process, which all ranks must share: a wrapper
// script around the program must exec it, or set RINGO_STORE.
//
// Slurm counts in a job step of more than one task; a batch script and an
// interactive shell are no ranks, whatever SLURM_PROCID says there. The port is
// 28000 + (SLURM_JOB_ID*31 + SLURM_STEP_ID) mod 1000. SLURM_NTASKS stands in
// for SLURM_STEP_NUM_TASKS. Rank 0 must run on the step's first host, as it
// does unless tasks are distributed by hand.
//
// Kubernetes: an indexed Job's pods, one rank each. RINGO_SERVICE is the
// headless service ("name" or "name:port", port 29000 by default), and the
// job's name is JOB_NAME, or the pod's host name without its index.
//
// The program's own variables go before all others:
//
//   - RINGO_RANK and RINGO_WORLD_SIZE, when both are set, win. One alone must
//     agree with the launcher.
//   - RINGO_STORE is where the ranks meet: tcp://HOST:PORT, with the host of
//     rank 0, or file:///DIR, shared by all hosts and new for each run.
//   - RINGO_SERVE (true or false) says whether this process serves a TCP store.
//     By default rank 0 does.
//   - RINGO_TOKEN is the job's secret, or RINGO_TOKEN_FILE a file with it.
//
// Two launchers may be there at once. Where one only started the other's agents
// (a Slurm step of one task per node around torchrun or mpirun, a pod around
// either), the inner one counts. Others must agree, else the error names both.
//
// Errors name the variable and its value, and say what to set.
func FromEnv(getenv func(string) string) (Launch, bool, error) {
	return fromEnv(environment{get: getenv, machine: thisMachine()})
}

func fromEnv(e environment) (l Launch, found bool, err error) {
	c, others, err := e.decide()
	if err != nil || c == nil {
		return Launch{}, false, err
	}
	l = Launch{Launcher: c.launcher, Rank: c.rank.value, Ranks: c.ranks.value}
	for _, o := range others {
		if l.LocalRanks == 0 && o.locals.name != "" {
			l.LocalRank, l.LocalRanks = o.local.value, o.locals.value
		}
	}
	if l.Store, err = e.store(c, others); err != nil {
		return Launch{}, false, err
	}
	if err := e.complete(&l); err != nil {
		return Launch{}, false, err
	}
	return l, true, nil
}

// StoreFromEnv reads RINGO_STORE, RINGO_SERVE, RINGO_TOKEN and RINGO_TOKEN_FILE
// alone, as FromEnv does, for a program that knows itself that this process is
// rank of ranks. Store is "" where RINGO_STORE is not set.
func StoreFromEnv(getenv func(string) string, rank, ranks int) (Launch, error) {
	if rank < 0 || rank >= ranks {
		return Launch{}, fmt.Errorf("rendezvous: rank %d of %d makes no sense", rank, ranks)
	}
	e := environment{get: getenv}
	l := Launch{Rank: rank, Ranks: ranks}
	var err error
	if l.Store, err = e.ownStore(); err != nil {
		return Launch{}, err
	}
	if err := e.complete(&l); err != nil {
		return Launch{}, err
	}
	return l, nil
}

// complete reads what follows from the store.
func (e environment) complete(l *Launch) (err error) {
	if l.Serve, err = e.serve(*l); err == nil {
		l.Token, err = e.token()
	}
	return err
}

// store finds where the ranks meet: what the user says, else what the first of
// the launchers knows that knows.
func (e environment) store(c *claim, launchers []claim) (string, error) {
	if address, err := e.ownStore(); address != "" || err != nil {
		return address, err
	}
	if c.ranks.value == 1 {
		return "", nil
	}
	var first error
	for _, l := range launchers {
		address, err := l.meet(e, l)
		if err == nil {
			_, err = parseAddress(address)
		}
		if err == nil {
			return address, nil
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", l.launcher, err)
		}
	}
	if first == nil {
		first = fmt.Errorf("%v and %v are set, but not where the ranks meet", c.rank, c.ranks)
	}
	return "", fmt.Errorf("%w; set RINGO_STORE=tcp://HOST:PORT (the host of rank 0) or file:///SHARED/DIR on all ranks", first)
}

// ownStore is RINGO_STORE, or "" where it is not set.
func (e environment) ownStore() (string, error) {
	address := e.get("RINGO_STORE")
	if address == "" {
		return "", nil
	}
	if _, err := parseAddress(address); err != nil {
		return "", fmt.Errorf("RINGO_STORE=%s: %w", address, err)
	}
	return address, nil
}

// serve says whether this rank serves the store.
func (e environment) serve(l Launch) (bool, error) {
	a, err := parseAddress(l.Store)
	if err != nil || a.hostPort == "" {
		return false, nil // no store, or a directory
	}
	text := e.get("RINGO_SERVE")
	if text == "" {
		return l.Rank == 0, nil
	}
	serve, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("RINGO_SERVE=%s: want true or false", text)
	}
	return serve, nil
}

// token reads the job's secret.
func (e environment) token() ([]byte, error) {
	token, file := e.get("RINGO_TOKEN"), e.get("RINGO_TOKEN_FILE")
	switch {
	case token != "" && file != "":
		return nil, errors.New("RINGO_TOKEN and RINGO_TOKEN_FILE are both set: unset one")
	case token != "":
		return []byte(token), nil
	case file != "":
		return readToken(file)
	}
	return nil, nil
}
