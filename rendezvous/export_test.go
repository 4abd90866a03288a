package rendezvous

import "syscall"

// Drop ends the client as a killed process would: without goodbye.
func (c *client) Drop() {
	c.conn.Close()
	c.Close()
}

// WithoutLinks makes f believe that its file system has no hard links.
func WithoutLinks(f *File) *File {
	f.link = func(string, string) error { return syscall.EPERM }
	return f
}
