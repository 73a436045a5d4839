package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// patience is how long a program may take to stop before it is killed.
const patience = 20 * time.Second

// family is the programs that the demo has started. They stop with it, the last started first.
type family struct {
	logs    string
	failed  func(error) // called when a program ends that was not told to
	mu      sync.Mutex
	members []*member
}

type member struct {
	name   string
	cmd    *exec.Cmd
	log    *os.File
	told   bool
	exited chan struct{}
}

func newFamily(logs string, failed func(error)) *family {
	return &family{logs: logs, failed: failed}
}

// command finds a program beside this one.
func (f *family) command(name string, env []string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the programs: %w", err)
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("find %s beside %s: run `make build`: %w", name, self, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = apart()
	return cmd, nil
}

// start runs a program until the family is stopped; its output goes to a log file.
func (f *family) start(name string, env []string, args ...string) error {
	cmd, err := f.command(name, env, args...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.logs, 0o755); err != nil {
		return fmt.Errorf("make the folder of logs: %w", err)
	}
	log, err := os.Create(filepath.Join(f.logs, name+".log"))
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", name, err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		log.Close()
		return fmt.Errorf("start %s: %w", name, err)
	}
	m := &member{name: name, cmd: cmd, log: log, exited: make(chan struct{})}
	f.mu.Lock()
	f.members = append(f.members, m)
	f.mu.Unlock()
	go f.watch(m)
	return nil
}

func (f *family) watch(m *member) {
	err := m.cmd.Wait()
	m.log.Close()
	close(m.exited)
	f.mu.Lock()
	told := m.told
	f.mu.Unlock()
	if told {
		return
	}
	if err == nil {
		err = errors.New("it ended by itself")
	}
	f.failed(fmt.Errorf("%s: %w; the end of %s:\n%s", m.name, err, m.log.Name(), tail(m.log.Name())))
}

// stop ends all programs, the last started first, and returns once none is left.
func (f *family) stop() {
	f.mu.Lock()
	members := f.members
	f.members = nil
	for _, m := range members {
		m.told = true
	}
	f.mu.Unlock()
	for i := len(members) - 1; i >= 0; i-- {
		members[i].stop()
	}
}

func (m *member) stop() {
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.exited:
	case <-time.After(patience):
		_ = m.cmd.Process.Kill()
		<-m.exited
	}
}

// once runs a program to its end, with the demo's own output; it is stopped when ctx ends.
func (f *family) once(ctx context.Context, name string, env []string, args ...string) error {
	cmd, err := f.command(name, env, args...)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// tail gives the last lines of a log.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-10):], []byte("\n")))
}
