package chhttp_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/devstack/devtest"
)

// open connects clickhouse-go's native interface over HTTP to a database of the test's own.
func open(t *testing.T, change func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(options)
	}
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

func TestReplacingMergeTreeKeepsTheGreatestVersionAndHidesDeleted(t *testing.T) {
	for _, version := range []string{"UInt64", "UInt128"} {
		t.Run(version, func(t *testing.T) {
			conn := open(t, nil)
			exec(t, conn, "CREATE TABLE r (k String, n UInt32, v "+version+", d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k")
			exec(t, conn, "INSERT INTO r VALUES ('a', 1, 5, 0), ('b', 1, 1, 0)")
			exec(t, conn, "INSERT INTO r VALUES ('a', 2, 4, 0), ('b', 2, 2, 1)")
			var got []struct {
				K string `ch:"k"`
				N uint32 `ch:"n"`
			}
			if err := conn.Select(t.Context(), &got, "SELECT k, n FROM r FINAL"); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0].K != "a" || got[0].N != 1 {
				t.Errorf("got %+v, want a with n 1 alone", got)
			}
		})
	}
}

func TestNamedParameters(t *testing.T) {
	conn := open(t, nil)
	at := time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)
	awkward := "it's \\ a\ttab\nline {x:String}"
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{
		"from": "2026-03-01 12:00:00.250", "tools": `['a','b\'c']`, "n": "18446744073709551615",
	}))
	var from time.Time
	var tools []string
	var n uint64
	if err := conn.QueryRow(ctx, "SELECT {from:DateTime64(3, 'UTC')}, {tools:Array(String)}, {n:UInt64}").Scan(&from, &tools, &n); err != nil {
		t.Fatal(err)
	}
	if !from.Equal(at) || !reflect.DeepEqual(tools, []string{"a", "b'c"}) || n != 18446744073709551615 {
		t.Errorf("got %v %q %d", from, tools, n)
	}
	var text string
	var has bool
	err := conn.QueryRow(t.Context(), "SELECT {text:String}, has({by:Array(String)}, 'tool')", clickhouse.Named("text", awkward), clickhouse.Named("by", []string{"tool", "code"})).Scan(&text, &has)
	if err != nil {
		t.Fatal(err)
	}
	if text != awkward || !has {
		t.Errorf("got %q %v, want %q true", text, has, awkward)
	}
}

func TestErrorsCarryTheServersCodeAndStatus(t *testing.T) {
	cases := []struct {
		query  string
		code   int32
		name   string
		status int
	}{
		{"SELECT * FROM nosuch", 60, "UNKNOWN_TABLE", http.StatusNotFound},
		{"SELECT nosuch", 47, "UNKNOWN_IDENTIFIER", http.StatusNotFound},
		{"SELEC 1", 62, "SYNTAX_ERROR", http.StatusBadRequest},
		{"SELECT 1; SELECT 2", 62, "SYNTAX_ERROR", http.StatusBadRequest},
		{"SELECT {x:UInt8}", 456, "UNKNOWN_QUERY_PARAMETER", http.StatusBadRequest},
		{"SELECT throwIf(1, 'because')", 395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", http.StatusInternalServerError},
		{"INSERT INTO nosuch VALUES (1)", 60, "UNKNOWN_TABLE", http.StatusNotFound},
	}
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionGZIP} {
		conn := open(t, func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method, Level: 3} })
		for _, c := range cases {
			t.Run(method.String()+" "+c.query, func(t *testing.T) {
				rows, err := conn.Query(t.Context(), c.query)
				if err == nil {
					rows.Close()
				}
				var failure *clickhouse.Exception
				var status *clickhouse.HTTPError
				if !errors.As(err, &failure) || !errors.As(err, &status) {
					t.Fatalf("got %v, want an exception", err)
				}
				if failure.Code != c.code || failure.CodeName != c.name || status.StatusCode != c.status {
					t.Errorf("got %d %s %d, want %d %s %d", failure.Code, failure.CodeName, status.StatusCode, c.code, c.name, c.status)
				}
			})
		}
	}
}

func TestUnknownDatabaseIsRefused(t *testing.T) {
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	options.Auth.Database = "nosuch"
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var failure *clickhouse.Exception
	if err := conn.Ping(t.Context()); !errors.As(err, &failure) || failure.Code != 81 {
		t.Errorf("got %v, want code 81", err)
	}
}

func TestSettingsHoldForTheirQueryOnly(t *testing.T) {
	conn := open(t, nil)
	threads := func(ctx context.Context) uint64 {
		t.Helper()
		var n uint64
		if err := conn.QueryRow(ctx, "SELECT toUInt64(getSetting('max_threads'))").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	with := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_threads": 7}))
	exec(t, conn, "SET max_threads = 9")
	if got := threads(with); got != 7 {
		t.Errorf("max_threads %d, want 7", got)
	}
	if got := threads(t.Context()); got == 7 || got == 9 {
		t.Errorf("max_threads %d outlived its query", got)
	}
	slow := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": 1}))
	var failure *clickhouse.Exception
	err := conn.Exec(slow, "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 0 FORMAT Null")
	if !errors.As(err, &failure) || failure.Code != 159 {
		t.Errorf("got %v, want code 159 for a query over its time", err)
	}
}

func TestTheEndOfTheContextCancelsTheQuery(t *testing.T) {
	conn := open(t, nil)
	mark := "mark_" + strings.ReplaceAll(t.Name(), "/", "_")
	running := func() (n uint64) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), "SELECT count() FROM system.processes WHERE query LIKE {like:String} AND query NOT LIKE '%processes%'", clickhouse.Named("like", "%"+mark+"%")).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, query := range []string{
		"SELECT max(sipHash64(number)) AS " + mark + " FROM numbers(1000000000000)",
		"SELECT number AS " + mark + " FROM system.numbers",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			rows, err := conn.Query(ctx, query)
			if err == nil {
				for rows.Next() {
				}
				err = errors.Join(rows.Err(), rows.Close())
			}
			done <- err
		}()
		await(t, "the query to run", func() bool { return running() == 1 })
		cancel()
		if err := <-done; err == nil {
			t.Errorf("%s: ended without an error", query)
		}
		await(t, "the query to be cancelled", func() bool { return running() == 0 })
	}
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestABigResultComesWhole(t *testing.T) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionGZIP} {
		t.Run(method.String(), func(t *testing.T) {
			conn := open(t, func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method, Level: 1} })
			rows, err := conn.Query(t.Context(), "SELECT number, toString(number), toLowCardinality(toString(number % 7)), range(number % 4) FROM numbers(1000000)")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var count, sum uint64
			for rows.Next() {
				var n uint64
				var text, kind string
				var list []uint64
				if err := rows.Scan(&n, &text, &kind, &list); err != nil {
					t.Fatal(err)
				}
				if text != fmt.Sprint(n) || kind != fmt.Sprint(n%7) || len(list) != int(n%4) {
					t.Fatalf("row %d is %q %q %v", n, text, kind, list)
				}
				count, sum = count+1, sum+n
			}
			if rows.Err() != nil || count != 1000000 || sum != 499999500000 {
				t.Errorf("%d rows of sum %d, %v", count, sum, rows.Err())
			}
		})
	}
}

func TestAnErrorInTheMiddleOfAResultIsAnException(t *testing.T) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionGZIP} {
		t.Run(method.String(), func(t *testing.T) {
			conn := open(t, func(o *clickhouse.Options) { o.Compression = &clickhouse.Compression{Method: method, Level: 1} })
			rows, err := conn.Query(t.Context(), "SELECT number, throwIf(number = 3000000, 'because') FROM numbers(10000000) SETTINGS max_threads = 1, max_block_size = 65536")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			n := 0
			for rows.Next() {
				n++
			}
			var failure *clickhouse.Exception
			if !errors.As(rows.Err(), &failure) || failure.Code != 395 {
				t.Errorf("after %d rows got %v, want code 395", n, rows.Err())
			}
			if n == 0 || n > 3000000 {
				t.Errorf("%d rows before the error", n)
			}
		})
	}
}

func TestNoRows(t *testing.T) {
	conn := open(t, nil)
	for _, query := range []string{"SELECT 1 WHERE 0", "SELECT toLowCardinality('x') AS a, map('a', 1) AS b FROM numbers(0)", "SHOW TABLES"} {
		rows, err := conn.Query(t.Context(), query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if rows.Next() || rows.Err() != nil {
			t.Errorf("%s: a row or an error: %v", query, rows.Err())
		}
		rows.Close()
	}
}

func TestManyAtOnce(t *testing.T) {
	conn := open(t, func(o *clickhouse.Options) { o.MaxOpenConns = 16; o.MaxIdleConns = 16 })
	exec(t, conn, "CREATE TABLE many (worker UInt32, n UInt32, text String) ENGINE = MergeTree ORDER BY (worker, n)")
	var wait sync.WaitGroup
	for worker := range uint32(12) {
		wait.Go(func() {
			for round := range uint32(5) {
				batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO many")
				if err != nil {
					t.Error(err)
					return
				}
				for i := range uint32(100) {
					if err := batch.Append(worker, round*100+i, "row"); err != nil {
						t.Error(err)
					}
				}
				if err := batch.Send(); err != nil {
					t.Error(err)
				}
				var n uint64
				if err := conn.QueryRow(t.Context(), "SELECT uniqExact(n) FROM many WHERE worker = {w:UInt32}", clickhouse.Named("w", worker)).Scan(&n); err != nil {
					t.Error(err)
				}
				if n != uint64(round+1)*100 {
					t.Errorf("worker %d sees %d rows after %d rounds", worker, n, round+1)
				}
			}
		})
	}
	wait.Wait()
}

func TestDatabaseSQL(t *testing.T) {
	db, err := sql.Open("clickhouse", devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE s (id UInt64, tags Array(String), at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY id"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	statement, err := tx.Prepare("INSERT INTO s (id, tags, at)")
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(1700000000123).UTC()
	for id := range uint64(10) {
		if _, err := statement.Exec(id, []string{"a"}, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO s (id, tags, at) VALUES (?, ?, ?)", uint64(10), []string{"b"}, at); err != nil {
		t.Fatal(err)
	}
	var count uint64
	var last time.Time
	if err := db.QueryRow("SELECT count(), max(at) FROM s WHERE id >= ?", 5).Scan(&count, &last); err != nil {
		t.Fatal(err)
	}
	if count != 6 || !last.Equal(at) {
		t.Errorf("got %d rows up to %v, want 6 up to %v", count, last, at)
	}
}
