//go:build !unix

package transporttest

import "time"

// processorTime is not known here.
func processorTime() (time.Duration, bool) { return 0, false }
