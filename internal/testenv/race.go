//go:build race

package testenv

// Race says whether this build has the race detector, which allocates, slows
// down and keeps blocks of memory in the Go heap.
const Race = true
