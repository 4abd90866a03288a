//go:build race

package transporttest

// raceEnabled says that the race detector is on.
const raceEnabled = true
