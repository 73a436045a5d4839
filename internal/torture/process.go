package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// patience is how long anything may take before it counts as stuck.
const patience = 2 * time.Minute

// process is a program that is started, disturbed and started again. Its output goes to one log.
type process struct {
	program string
	args    []string
	env     []string
	log     string // file
	says    string // a line with this text is told on heard; "" for none

	cmd   *exec.Cmd
	heard chan struct{}
	ended chan struct{}
	err   error
}

// start runs the program. It ends with this one at the latest.
func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", p.program, err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for %s: %w", p.program, err)
	}
	p.cmd = exec.Command(p.program, p.args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.Stdout, p.cmd.Stderr = in, in
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.heard, p.ended = make(chan struct{}, 1000), make(chan struct{})
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.program, err)
	}
	in.Close()
	go func(cmd *exec.Cmd, heard, ended chan struct{}) {
		p.listen(out, log, heard)
		err := cmd.Wait()
		p.err = err
		close(ended)
	}(p.cmd, p.heard, p.ended)
	return nil
}

func (p *process) listen(out io.ReadCloser, log io.WriteCloser, heard chan struct{}) {
	defer log.Close()
	defer out.Close()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		_, _ = io.WriteString(log, line)
		if p.says != "" && strings.Contains(line, p.says) {
			select {
			case heard <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// signal sends a signal; a process that has ended already is an error.
func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s ended by itself: %w; see %s", filepath.Base(p.program), errors.Join(err, p.err), p.log)
	}
	return nil
}

// kill ends the process as a crash does.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// stop ends the process in order. One that has only just started may not be listening for the signal yet.
func (p *process) stop() error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := p.wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
		return nil
	}
	return err
}

// wait returns when the process has ended well.
func (p *process) wait() error {
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.kill()
		return fmt.Errorf("%s did not end within %s; see %s", p.program, patience, p.log)
	}
	if p.err != nil {
		return fmt.Errorf("%s: %w; see %s", p.program, p.err, p.log)
	}
	return nil
}

// hear waits until the process has said what it is listened to for.
func (p *process) hear(ctx context.Context) error {
	select {
	case <-p.heard:
		return nil
	case <-p.ended:
		return fmt.Errorf("%s ended before it said %q: %w; see %s", p.program, p.says, p.err, p.log)
	case <-time.After(patience):
		return fmt.Errorf("%s did not say %q within %s; see %s", p.program, p.says, patience, p.log)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
