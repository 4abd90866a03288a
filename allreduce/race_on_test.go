//go:build race

package allreduce_test

// raceEnabled: the race detector allocates by itself.
const raceEnabled = true
