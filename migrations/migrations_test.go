package migrations

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/devstack/devtest"
)

func open(t *testing.T) (Config, driver.Conn) {
	t.Helper()
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return Config{Options: options}, conn
}

// schema gives the columns of every table as the engine describes them.
func schema(t *testing.T, conn driver.Conn) string {
	t.Helper()
	rows, err := conn.Query(context.Background(), `
		SELECT concat(table, '.', name, ' ', type, ' ', toString(position))
		FROM system.columns WHERE database = currentDatabase() ORDER BY table, position`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		t.Fatal("no table was made")
	}
	return strings.Join(lines, "\n")
}

// Every earlier state, from the empty database on, reaches the same schema, and one more run does nothing.
func TestFromEveryEarlierState(t *testing.T) {
	ctx := context.Background()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for state := range len(all) + 1 {
		cfg, conn := open(t)
		if n, err := apply(ctx, cfg, all[:state]); err != nil || n != state {
			t.Fatalf("state %d: applied %d, %v", state, n, err)
		}
		if n, err := Apply(ctx, cfg); err != nil || n != len(all)-state {
			t.Fatalf("from state %d: applied %d, %v; want %d", state, n, err, len(all)-state)
		}
		got := schema(t, conn)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("from state %d the schema is\n%s\nwant\n%s", state, got, want)
		}
		if n, err := Apply(ctx, cfg); err != nil || n != 0 {
			t.Errorf("once more: applied %d, %v; want 0", n, err)
		}
	}
}

func TestAnEditedMigrationIsRefused(t *testing.T) {
	cfg, _ := open(t)
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apply(context.Background(), cfg, all); err != nil {
		t.Fatal(err)
	}
	all[1].Checksum = "edited"
	_, err = apply(context.Background(), cfg, all)
	if err == nil || !strings.Contains(err.Error(), "0002_runs was edited") {
		t.Errorf("got %v", err)
	}
}

func TestTwoAtOnce(t *testing.T) {
	cfg, _ := open(t)
	errs := make(chan error)
	for range 4 {
		go func() {
			_, err := Apply(context.Background(), cfg)
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestNamesAndNumbers(t *testing.T) {
	f := func(want string, names ...string) {
		t.Helper()
		dir := fstest.MapFS{}
		for _, name := range names {
			dir[name] = &fstest.MapFile{Data: []byte("SELECT 1")}
		}
		if _, err := read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f("0001_name.sql", "1_first.sql")
	f("number 0002 is expected", "0001_first.sql", "0003_third.sql")
}

func TestOnAClusterTablesAreReplicatedAndDistributed(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Cluster: "main", Options: &clickhouse.Options{Auth: clickhouse.Auth{Database: "errata"}}}
	for _, m := range all {
		statements, err := forCluster(m.SQL, cfg)
		if err != nil || len(statements) < 2 {
			t.Fatalf("%s: %d statements, %v", m.Name, len(statements), err)
		}
		if strings.HasPrefix(statements[0], "ALTER") {
			continue // see TestOnAClusterBothTablesChange
		}
		for _, filling := range statements[2:] { // from tables of the same names, as on a single server
			if !insert.MatchString(filling) {
				t.Errorf("%s: %.200s", m.Name, filling)
			}
		}
		if !strings.Contains(statements[0], m.Name+"_local ON CLUSTER `main`") || !strings.Contains(statements[0], "ENGINE = Replicated") {
			t.Errorf("%s: %.200s", m.Name, statements[0])
		}
		if !strings.Contains(statements[1], "ENGINE = Distributed(`main`, `errata`, "+m.Name+"_local, ") {
			t.Errorf("%s: %s", m.Name, statements[1])
		}
	}
	statements, _ := forCluster(all[1].SQL, cfg)
	for i, want := range []string{
		"ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/runs_local', '{replica}', version, is_deleted)\nORDER BY run_id",
		"runs_local, cityHash64(run_id))",
	} {
		if !strings.Contains(statements[i], want) {
			t.Errorf("runs: want %q in\n%s", want, statements[i])
		}
	}
}
