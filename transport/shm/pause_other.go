//go:build linux && (!amd64 || purego)

package shm

// pause has no instruction here.
func pause() {}
