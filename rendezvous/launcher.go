package rendezvous

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// launcher says by which variables a launcher tells its ranks who they are. Of
// several names the first that is set counts.
type launcher struct {
	name                       string
	rank, ranks, local, locals []string
	count                      func(environment) number // stands in for locals
	absent                     func(environment) bool   // nil: its rank variable tells
	meet                       func(environment, claim) (store string, err error)
}

// launchers are all we know, the innermost first: each may have been started by
// one that follows.
var launchers = []launcher{
	{name: "torchrun", rank: []string{"RANK"}, ranks: []string{"WORLD_SIZE"},
		local: []string{"LOCAL_RANK"}, locals: []string{"LOCAL_WORLD_SIZE"}, meet: meetAtMaster},
	{name: "openmpi", rank: []string{"OMPI_COMM_WORLD_RANK"}, ranks: []string{"OMPI_COMM_WORLD_SIZE"},
		local: []string{"OMPI_COMM_WORLD_LOCAL_RANK"}, locals: []string{"OMPI_COMM_WORLD_LOCAL_SIZE"}, meet: meetOnThisHost},
	{name: "mpich", rank: []string{"PMI_RANK"}, ranks: []string{"PMI_SIZE"},
		local: []string{"MPI_LOCALRANKID"}, locals: []string{"MPI_LOCALNRANKS"}, meet: meetOnThisHost},
	{name: "slurm", rank: []string{"SLURM_PROCID"}, ranks: []string{"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
		local: []string{"SLURM_LOCALID"}, count: slurmTasksHere, absent: noSlurmStep, meet: meetOnFirstNode},
	{name: "kubernetes", rank: []string{"JOB_COMPLETION_INDEX"}, ranks: []string{"RINGO_WORLD_SIZE"}, meet: meetInService},
}

// claims collects what the launchers say. It leaves out those that only started
// another one's agents.
func (e environment) claims() ([]claim, error) {
	var claims []claim
	for _, l := range launchers {
		if l.name == "kubernetes" && len(claims) > 0 {
			continue // its index numbers pods, in which another launcher started the ranks
		}
		c, err := l.read(e)
		if err != nil {
			return nil, err
		}
		if c == nil || c.launcher == "slurm" && e.startedAgents(*c, claims) {
			continue
		}
		claims = append(claims, *c)
	}
	return claims, nil
}

// meetAtMaster is where torchrun sends its ranks, which is on rank 0's host.
func meetAtMaster(e environment, _ claim) (string, error) {
	host, text := e.get("MASTER_ADDR"), e.get("MASTER_PORT")
	if host == "" || text == "" {
		return "", fmt.Errorf("MASTER_ADDR=%s and MASTER_PORT=%s: both must be set", host, text)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if agent, _ := strconv.ParseBool(e.get("TORCHELASTIC_USE_AGENT_STORE")); agent {
		port++
	}
	if err != nil || port == 0 || port > 65535 {
		return "", fmt.Errorf("MASTER_PORT=%s leaves no port from 1 to 65535", text)
	}
	return tcpAddress(host, int(port)), nil
}

// meetOnThisHost is a directory that the job's ranks share if they are all here.
func meetOnThisHost(e environment, c claim) (string, error) {
	if c.locals.name == "" {
		return "", fmt.Errorf("%v, but not both of %s are set, which say how many of the ranks are on this host: no variable says where they meet", c.ranks, c.onHost)
	}
	if c.locals.value != c.ranks.value {
		return "", fmt.Errorf("%v with %v: the ranks are on several hosts and no variable says where they meet", c.ranks, c.locals)
	}
	return fileAddress(e.machine.jobDir(e.get("PMIX_NAMESPACE"))), nil
}

// meetInService is the pod with index 0 of a Kubernetes Job.
func meetInService(e environment, c claim) (string, error) {
	service := e.get("RINGO_SERVICE")
	if service == "" {
		return "", errors.New("RINGO_SERVICE, the Job's headless service, is not set")
	}
	port := DefaultPort
	if host, text, err := net.SplitHostPort(service); err == nil {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return "", fmt.Errorf("RINGO_SERVICE=%s: want a name, or name:port", service)
		}
		service, port = host, int(n)
	}
	job := e.get("JOB_NAME")
	if job == "" {
		var ok bool
		job, ok = strings.CutSuffix(e.machine.hostname, "-"+strconv.Itoa(c.rank.value))
		if !ok || job == "" {
			return "", fmt.Errorf("host name %s does not end in -%d (%v): set JOB_NAME to the Job's name", e.machine.hostname, c.rank.value, c.rank)
		}
	}
	return tcpAddress(job+"-0."+service, port), nil
}
