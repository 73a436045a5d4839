//go:build !linux

package main

import "syscall"

// apart keeps a program out of the terminal's Ctrl-C, which the demo passes on in order.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
