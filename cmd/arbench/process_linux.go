package main

import "syscall"

// processAttributes puts a rank into a process group of its own, so that Ctrl-C
// reaches it only through us, and has the kernel end it when we are gone.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
