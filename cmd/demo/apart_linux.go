package main

import "syscall"

// apart keeps a program out of the terminal's Ctrl-C, which the demo passes on in order, and makes it end should the
// demo be killed.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
