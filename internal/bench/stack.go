package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// stack is a running devstack of the benchmark's own.
type stack struct {
	dir, bin string
	kept     bool // the folder stays for the next time
	cmd      *exec.Cmd
	env      []string
	broker   string
	dsn      string
}

// startStack starts a devstack in a folder that is kept, or where none is named in a temporary one.
func startStack(ctx context.Context, bin, dir string) (*stack, error) {
	s := &stack{dir: dir, bin: bin, kept: dir != ""}
	if !s.kept {
		var err error
		if s.dir, err = os.MkdirTemp("", "errata-bench-*"); err != nil {
			return nil, fmt.Errorf("make a folder: %w", err)
		}
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	ready := filepath.Join(s.dir, "ready")
	s.cmd = exec.CommandContext(ctx, filepath.Join(bin, "devstack"), "-dir", filepath.Join(s.dir, "data"),
		"-kafka", "127.0.0.1:0", "-clickhouse", "127.0.0.1:0", "-ready", ready)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start devstack: %w", err)
	}
	for range 600 {
		text, err := os.ReadFile(ready)
		if err == nil {
			s.env = strings.Fields(string(text))
			s.broker = strings.TrimPrefix(s.env[0], "ERRATA_KAFKA_BROKERS=")
			s.dsn = strings.TrimPrefix(s.env[1], "ERRATA_CLICKHOUSE_DSN=")
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("devstack did not get ready")
}

func (s *stack) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	if !s.kept {
		_ = os.RemoveAll(s.dir)
	}
}

// conn connects to a database of the stack's engine.
func (s *stack) conn(database string) (driver.Conn, error) {
	options, err := clickhouse.ParseDSN(s.dsn)
	if err != nil {
		return nil, fmt.Errorf("read the address: %w", err)
	}
	options.Auth.Database = database
	options.ReadTimeout = 10 * time.Minute
	return clickhouse.Open(options)
}

// spent is what a program took to its end.
type spent struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

// program runs one of Errata's programs to its end.
func (s *stack) program(ctx context.Context, name string, args ...string) (spent, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	cmd.Env = append(os.Environ(), s.env...)
	output, err := os.Create(filepath.Join(s.dir, name+".log"))
	if err != nil {
		return spent{}, fmt.Errorf("open a log: %w", err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	began := time.Now()
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		return spent{}, fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return s.of(cmd, time.Since(began)), nil
}

func (s *stack) of(cmd *exec.Cmd, wall time.Duration) spent {
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return spent{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak: usage.Maxrss << 10}
}

// cpuOf gives what the engines' process has used so far.
func (s *stack) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	var user, system int64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}
