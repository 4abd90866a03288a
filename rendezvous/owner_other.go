//go:build !linux

package rendezvous

// checkOwner cannot tell here whose dir is.
func checkOwner(dir string) error { return nil }
