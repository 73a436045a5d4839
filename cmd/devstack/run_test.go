package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"errata/internal/devstack/devtest"
	"errata/internal/devstack/engine"
)

func noEnv(string) string { return "" }

func TestUsageErrorsNameTheFlagAndTheMend(t *testing.T) {
	cases := []struct{ args, names, mends string }{
		{"-kafka 9092", "-kafka 9092", "127.0.0.1:0"},
		{"-clickhouse 0.0.0.0:8123", "-clickhouse 0.0.0.0:8123", "use 127.0.0.1:8123"},
		{"-clickhouse 127.0.0.1:99999", "-clickhouse 127.0.0.1:99999", "0 to 65535"},
		{"-kafka off -clickhouse off", "-kafka off", "leave out one"},
		{"-partitions 0", "-partitions 0", "from 1 to 1000"},
		{"-dir=", "-dir", "name a folder"},
		{"-nosuch", "-nosuch", "-help"},
		{"extra", `"extra"`, "-help"},
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			err := run(t.Context(), strings.Fields(c.args), io.Discard, noEnv)
			if err == nil || exitCode(err) != 2 {
				t.Fatalf("got %v, want a usage error", err)
			}
			if text := err.Error(); !strings.Contains(text, c.names) || !strings.Contains(text, c.mends) || strings.Contains(text, "\n") {
				t.Errorf("%q does not name %q and %q in one line", text, c.names, c.mends)
			}
		})
	}
}

func TestPrintedSettings(t *testing.T) {
	var out bytes.Buffer
	env := func(name string) string { return map[string]string{"ERRATA_ENGINE": "/from/environment"}[name] }
	if err := run(t.Context(), []string{"-print-config", "-dir", "d", "-kafka", "off"}, &out, env); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"dir=d", "kafka=off", "clickhouse=127.0.0.1:8123", "engine=/from/environment", "partitions=4"} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("%q lacks %q", out.String(), line)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	for flag, want := range map[string]string{"-version": "devstack ", "-help": "-clickhouse"} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{flag}, &out, noEnv); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v %q", flag, err, out.String())
		}
	}
}

func TestAMissingEngineIsNamed(t *testing.T) {
	err := run(t.Context(), []string{"-dir", t.TempDir(), "-kafka", "off", "-clickhouse", "127.0.0.1:0", "-engine", "/nosuch"}, io.Discard, noEnv)
	if !errors.Is(err, engine.ErrMissing) || !strings.Contains(err.Error(), "/nosuch") || exitCode(err) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatIsNoEngineIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libchdb.so")
	if err := os.WriteFile(path, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"-dir", t.TempDir(), "-kafka", "off", "-clickhouse", "127.0.0.1:0", "-engine", path}, io.Discard, noEnv)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestATakenPortIsNamed(t *testing.T) {
	devtest.NeedEngine(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	for _, args := range [][]string{{"-kafka", addr, "-clickhouse", "off"}, {"-kafka", "off", "-clickhouse", addr}} {
		err := run(t.Context(), append(args, "-dir", t.TempDir()), io.Discard, os.Getenv)
		if err == nil || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: got %v", args, err)
		}
	}
}

func TestRunAnswersUntilItIsStopped(t *testing.T) {
	dir := t.TempDir()
	ready := filepath.Join(dir, "ready")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-dir", filepath.Join(dir, "data"), "-clickhouse", "off", "-kafka", "127.0.0.1:0", "-ready", ready}, w, noEnv)
	}()
	printed, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	content, err := os.ReadFile(ready)
	if err != nil {
		t.Fatal(err)
	}
	addr, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "ERRATA_KAFKA_BROKERS=")
	if !ok || !strings.Contains(printed, addr) {
		t.Fatalf("ready file %q, printed %q", content, printed)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	stop()
	if err := <-done; err != nil {
		t.Errorf("run: %v", err)
	}
	if _, err := os.Stat(ready); !os.IsNotExist(err) {
		t.Errorf("the ready file is still there: %v", err)
	}
}
