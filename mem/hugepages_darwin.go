//go:build !race

package mem

// adviseHuge does nothing: the system offers no such advice.
func adviseHuge([]byte) {}
