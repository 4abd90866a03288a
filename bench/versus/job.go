package versus

import (
	"fmt"
	"time"
)

// Job says what is measured.
type Job struct {
	Ranks      int
	Transport  string // "shm" or "tcp"
	Collective string // as arbench's -C
	Type       string // as arbench's -d: float32 or bfloat16
	Sizes      []int  // of the whole array, in bytes
	// Iterations and WarmUp are the most for each size, and Budget is about how long
	// they take; arbench and the programs of bench/peers count by the same rule.
	Iterations, WarmUp int
	Budget             time.Duration
	// Throughput leaves out the barrier before each iteration.
	Throughput bool
	// Rewrite has owners write their buffers before, and read them in, each timed
	// iteration.
	Rewrite bool
}

// String says what is measured in words.
func (j Job) String() string {
	s := fmt.Sprintf("%s %s, in place, %s", j.Collective, j.Type, map[string]string{"shm": "shared memory", "tcp": "TCP over loopback"}[j.Transport])
	if j.Throughput {
		s += ", no barrier between iterations"
	} else {
		s += ", a barrier before each iteration"
	}
	if j.Rewrite {
		s += ", buffers written and read by their owners"
	}
	return s
}

// Command is one side's benchmark of a job, ready to run.
type Command struct {
	Library, Config string
	Args            []string
	Env             []string
	// Missing says how to install what Args[0] lacks; empty when it is there.
	Missing string
	Format  Format
	// Rows is how many rows it prints; one that has printed them all has done its
	// work, however it ends. 0: not known.
	Rows int
}

// Format is what a command prints.
type Format int

// The formats.
const (
	Protocol  Format = iota // rows, as bench/peers/protocol.h describes
	Arbench                 // arbench's JSON
	NCCLTests               // the table of nccl-tests
)

func (c Command) String() string { return c.Library + " " + c.Config }

// Config says how a comparison is run.
type Config struct {
	Jobs   []Job // alike but for the ranks
	Rounds int
	Limit  time.Duration // for one command
	// Commands makes the sides of a job.
	Commands func(Job) []Command
	// Note is told about each command that has ended.
	Note func(line string)
}
