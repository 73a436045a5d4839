package devstack_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/devstack/devtest"
)

func open(t *testing.T, dsn string) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	options.Auth.Database = "default"
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func exec(t *testing.T, conn driver.Conn, query string) {
	t.Helper()
	if err := conn.Exec(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func number(t *testing.T, conn driver.Conn, query string) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

const block = 500

// insertUntilEnd writes blocks of rows until the engine is gone, and returns how many blocks were acknowledged.
func insertUntilEnd(ctx context.Context, conn driver.Conn, worker uint64, acknowledged *atomic.Int64) (blocks uint64) {
	for ; ; blocks++ {
		batch, err := conn.PrepareBatch(ctx, "INSERT INTO errata.t")
		if err != nil {
			return blocks
		}
		for i := range uint64(block) {
			if err := batch.Append(worker, blocks*block+i, "row"); err != nil {
				return blocks
			}
		}
		if err := batch.Send(); err != nil {
			return blocks
		}
		acknowledged.Add(1)
	}
}

func TestAcknowledgedRowsOutliveAKill(t *testing.T) {
	o := devtest.Options{Dir: filepath.Join(t.TempDir(), "data"), NoKafka: true}
	stack := devtest.Start(t, o)
	conn := open(t, stack.DSN)
	exec(t, conn, "CREATE DATABASE errata")
	exec(t, conn, "CREATE TABLE errata.t (worker UInt64, n UInt64, text String) ENGINE = ReplacingMergeTree ORDER BY (worker, n)")
	exec(t, conn, "CREATE TABLE errata.sums (worker UInt64, n UInt64) ENGINE = SummingMergeTree ORDER BY worker")
	exec(t, conn, "CREATE MATERIALIZED VIEW errata.v TO errata.sums AS SELECT worker, 1 AS n FROM errata.t")
	want := make([]uint64, 3)
	for round := range 2 {
		if round > 0 {
			stack = devtest.Start(t, o)
			conn = open(t, stack.DSN)
		}
		acknowledged := make([]uint64, len(want))
		var sent atomic.Int64
		var wait sync.WaitGroup
		for worker := range want {
			wait.Go(func() { acknowledged[worker] = insertUntilEnd(t.Context(), conn, uint64(worker), &sent) })
		}
		for sent.Load() < 30 {
		}
		if err := stack.Kill(); err != nil {
			t.Fatal(err)
		}
		wait.Wait()
		for worker := range want {
			want[worker] = max(want[worker], acknowledged[worker]*block)
		}
	}
	stack = devtest.Start(t, o)
	conn = open(t, stack.DSN)
	for worker, rows := range want {
		// What was under way when the kill came may be there too; what was acknowledged must be.
		got := number(t, conn, fmt.Sprintf("SELECT uniqExact(n) FROM errata.t WHERE worker = %d AND n < %d", worker, rows))
		if got != rows {
			t.Errorf("worker %d: %d of %d acknowledged rows", worker, got, rows)
		}
	}
	if err := stack.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestStopKeepsTheDataAndRemovesTheReadyFile(t *testing.T) {
	dir := t.TempDir()
	o := devtest.Options{Dir: filepath.Join(dir, "data")}
	stack := devtest.Start(t, o)
	conn := open(t, stack.DSN)
	exec(t, conn, "CREATE DATABASE errata")
	exec(t, conn, "CREATE TABLE errata.t (n UInt64) ENGINE = MergeTree ORDER BY n")
	exec(t, conn, "INSERT INTO errata.t SELECT number FROM numbers(1000)")
	if err := stack.Stop(); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "stale-ready")
	if err := os.WriteFile(stale, []byte("ERRATA_KAFKA_BROKERS=127.0.0.1:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if out, err := devtest.Run(t, "-dir", filepath.Join(dir, "other"), "-ready", stale, "-kafka", taken.Addr().String(), "-clickhouse", "off"); err == nil {
		t.Errorf("a taken port was to be had: %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*ready*")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	stack = devtest.Start(t, o)
	if got := number(t, open(t, stack.DSN), "SELECT sum(n) FROM errata.t"); got != 499500 {
		t.Errorf("sum %d, want 499500", got)
	}
}

func TestStopDoesNotWaitForARunningQuery(t *testing.T) {
	stack := devtest.Start(t, devtest.Options{Dir: filepath.Join(t.TempDir(), "data"), NoKafka: true})
	conn := open(t, stack.DSN)
	done := make(chan error, 1)
	go func() {
		done <- conn.Exec(context.Background(), "SELECT max(sipHash64(number)) FROM numbers(1000000000000) FORMAT Null")
	}()
	other := open(t, stack.DSN)
	for number(t, other, "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'") == 0 {
	}
	if err := stack.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if err := <-done; err == nil {
		t.Error("the query ended without an error")
	}
}

func TestASecondStackOnOneFolderIsRefused(t *testing.T) {
	devtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	devtest.Start(t, devtest.Options{Dir: dir, NoKafka: true})
	out, err := devtest.Run(t, "-dir", dir, "-kafka", "off", "-clickhouse", "127.0.0.1:0")
	if err == nil || !strings.Contains(out, "another devstack uses") {
		t.Errorf("got %v and %q", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "clickhouse")); err != nil {
		t.Error(err)
	}
}
