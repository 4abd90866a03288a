package rendezvous

import (
	"fmt"
	"strconv"
	"strings"
)

// noSlurmStep says that this is no task of a Slurm job step: not in Slurm, or in
// a batch script or interactive shell, whose steps are named or have numbers at
// the end of 32 bits.
func noSlurmStep(e environment) bool {
	step, err := strconv.ParseUint(e.get("SLURM_STEP_ID"), 10, 32)
	return err != nil || step >= 0xfffffff0
}

// startedAgents says that the Slurm step runs one torchrun or one daemon of
// mpirun on each node, and not the ranks, which inherited its variables.
func (e environment) startedAgents(step claim, inner []claim) bool {
	if step.ranks.value == 1 {
		return true // or a lonely shell
	}
	tasks := e.get("SLURM_STEP_TASKS_PER_NODE") // "1(x4)": one on each of four
	onePerNode := tasks == "1" || strings.HasPrefix(tasks, "1(x") && strings.HasSuffix(tasks, ")")
	if !onePerNode || len(inner) == 0 {
		return false
	}
	agent := inner[0].launcher == "torchrun" && e.get("TORCHELASTIC_RUN_ID") != ""
	return agent || inner[0].ranks.value > step.ranks.value
}

// slurmTasksHere is how many tasks of the step run on this node, from
// SLURM_STEP_TASKS_PER_NODE ("4(x2),1": four on each of two nodes, one on the
// third) and SLURM_NODEID. It is the zero number where they do not tell.
func slurmTasksHere(e environment) number {
	const name = "SLURM_STEP_TASKS_PER_NODE"
	node, err := strconv.ParseUint(e.get("SLURM_NODEID"), 10, 32)
	if err != nil {
		return number{}
	}
	for item := range strings.SplitSeq(e.get(name), ",") {
		text, times, repeated := strings.Cut(strings.TrimSuffix(item, ")"), "(x")
		tasks, err := strconv.ParseUint(text, 10, 20)
		nodes := uint64(1)
		if repeated && err == nil {
			nodes, err = strconv.ParseUint(times, 10, 32)
		}
		if err != nil || tasks == 0 {
			return number{}
		}
		if node < nodes {
			return number{name: name, value: int(tasks)}
		}
		node -= nodes
	}
	return number{}
}

// meetOnFirstNode is the host of a Slurm step's rank 0, with a port that other
// steps are unlikely to have.
func meetOnFirstNode(e environment, _ claim) (string, error) {
	list := e.get("SLURM_STEP_NODELIST")
	host, err := firstHost(list)
	if err != nil {
		return "", fmt.Errorf("SLURM_STEP_NODELIST=%s: %w", list, err)
	}
	job, err := strconv.ParseUint(e.get("SLURM_JOB_ID"), 10, 32)
	if err != nil {
		return "", fmt.Errorf("SLURM_JOB_ID=%s: want a number", e.get("SLURM_JOB_ID"))
	}
	step, _ := strconv.ParseUint(e.get("SLURM_STEP_ID"), 10, 32) // noSlurmStep checked it
	return tcpAddress(host, 28000+int((job*31+step)%1000)), nil
}
