package bench

import "fmt"

// Mode says how iterations follow each other.
type Mode string

const (
	// Throughput starts the next iteration as soon as this rank is done with
	// the last one, as nccl-tests does.
	Throughput Mode = "throughput"
	// Latency puts a barrier before each iteration, as the OSU benchmarks do.
	Latency Mode = "latency"
)

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Throughput, Latency:
		return m, nil
	}
	return "", fmt.Errorf("%q is not a mode; use throughput or latency", name)
}

// describe is the header's line about m.
func (m Mode) describe() string {
	if m == Latency {
		return "a barrier before each iteration"
	}
	return "no barrier between iterations"
}
