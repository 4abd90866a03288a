//go:build !purego

package shm

// pause tells the processor that this is a waiting loop: it leaves the loop
// faster and lets a sibling thread run.
//
//go:noescape
func pause()
