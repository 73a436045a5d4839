package devtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startLimit is how long a stack may take to answer, and to stop. Building it for the first time is not part of it.
const startLimit = 60 * time.Second

// Options say what stack to start.
type Options struct {
	// Dir holds the data and outlives the stack, so that another one can go on with it.
	Dir string
	// Kafka and ClickHouse are addresses; empty picks free ports.
	Kafka, ClickHouse string
	// NoKafka and NoClickHouse leave a part out.
	NoKafka, NoClickHouse bool

	temporary bool
}

// Stack is a running devstack process.
type Stack struct {
	// DSN is the ClickHouse DSN of the database errata, which does not exist before somebody makes it.
	DSN string
	// Brokers are the Kafka broker's addresses.
	Brokers []string

	cmd   *exec.Cmd
	ended chan struct{}
	err   error
}

// Start runs a devstack process of the test's own, which ends with the test at the latest.
func Start(t testing.TB, o Options) *Stack {
	t.Helper()
	if !o.NoClickHouse {
		NeedEngine(t)
	}
	s, err := start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Kill() })
	return s
}

// Kill ends the process as a crash would, with SIGKILL.
func (s *Stack) Kill() error { return s.end(syscall.SIGKILL) }

// Stop ends the process in order, with SIGTERM, and returns an error where it did not end well.
func (s *Stack) Stop() error {
	if err := s.end(syscall.SIGTERM); err != nil {
		return err
	}
	return s.err
}

func (s *Stack) end(signal os.Signal) error {
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end devstack: %w", err)
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(startLimit):
		return errors.New("devstack did not end")
	}
}

// temporary gives the options a folder that the process removes when it ends.
func temporary(o Options) Options {
	o.Dir, o.temporary = filepath.Join(os.TempDir(), "errata-devtest-"+random()), true
	return o
}

func start(o Options) (*Stack, error) {
	program, err := build()
	if err != nil {
		return nil, err
	}
	ready := o.Dir + ".ready-" + random()
	cmd := exec.Command(program, o.args(ready)...)
	cmd.Stderr = os.Stderr
	// The pipe is never written to: it ends with this process, and then so does devstack.
	if _, err := cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start devstack: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start devstack: %w", err)
	}
	s := &Stack{cmd: cmd, ended: make(chan struct{})}
	go func() {
		s.err = cmd.Wait()
		close(s.ended)
		_ = os.Remove(ready)
	}()
	if err := s.await(ready); err != nil {
		_ = s.Kill()
		return nil, err
	}
	return s, nil
}

func (o Options) args(ready string) []string {
	args := []string{"-dir", o.Dir, "-ready", ready, "-until-eof"}
	if o.temporary {
		args = append(args, "-temporary")
	}
	return append(args, "-kafka", address(o.Kafka, o.NoKafka), "-clickhouse", address(o.ClickHouse, o.NoClickHouse))
}

func address(addr string, off bool) string {
	switch {
	case off:
		return "off"
	case addr == "":
		return "127.0.0.1:0"
	}
	return addr
}

// await waits for the ready file and reads the addresses out of it.
func (s *Stack) await(ready string) error {
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline); {
		content, err := os.ReadFile(ready)
		if err == nil {
			s.read(string(content))
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("devstack ended before it was ready: %w", s.err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return errors.New("devstack was not ready in time")
}

func (s *Stack) read(environment string) {
	for line := range strings.Lines(environment) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "ERRATA_KAFKA_BROKERS":
			s.Brokers = strings.Split(value, ",")
		case "ERRATA_CLICKHOUSE_DSN":
			s.DSN = value
		}
	}
}

// build makes the program out of the checkout that is tested. It is kept in the checkout's .engine, where the next test
// binary finds it up to date.
func build() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".engine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the folder for devstack: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "devtest.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("open the lock for building devstack: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock the building of devstack: %w", err)
	}
	program := filepath.Join(dir, "devtest-devstack")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/devstack")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cmd/devstack: %w\n%s", err, out)
	}
	return program, nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find the checkout: no go.mod above the working directory")
		}
		dir = parent
	}
}

// Run runs devstack to its end and returns what it printed, on either stream.
func Run(t testing.TB, args ...string) (string, error) {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	return string(out), err
}
