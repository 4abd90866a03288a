//go:build !linux

package main

import "syscall"

// processAttributes puts a rank into a process group of its own, so that Ctrl-C
// reaches it only through us. A rank whose starter was killed notices that the
// store is gone.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
