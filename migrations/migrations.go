// Package migrations makes the tables of Errata. They are numbered .sql files, embedded, applied in order, and kept
// with their checksum: a file that was applied is never edited, a change is a new file.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

//go:embed *.sql
var files embed.FS

// Migration is one numbered file.
type Migration struct {
	Number   int
	Name     string // without number and ending, "transcripts"
	SQL      string
	Checksum string // SHA-256 of the file, hexadecimal
}

// fileName is what a migration must be called.
var fileName = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.sql$`)

// All gives the migrations in order. It fails where a name is not of the form 0001_name.sql or a number is left out.
func All() ([]Migration, error) { return read(files) }

func read(dir fs.FS) ([]Migration, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var all []Migration
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".sql") {
			continue
		}
		parts := fileName.FindStringSubmatch(entry.Name())
		if parts == nil {
			return nil, fmt.Errorf("migration %s: its name must look like 0001_name.sql", entry.Name())
		}
		text, err := fs.ReadFile(dir, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		number, _ := strconv.Atoi(parts[1])
		if number != len(all)+1 {
			return nil, fmt.Errorf("migration %s: number %04d is expected here", entry.Name(), len(all)+1)
		}
		sum := sha256.Sum256(text)
		all = append(all, Migration{Number: number, Name: parts[2], SQL: string(text), Checksum: hex.EncodeToString(sum[:])})
	}
	return all, nil
}

// Config says where the tables are made.
type Config struct {
	Options *clickhouse.Options // Auth.Database names the database, which is created where it is missing
	Cluster string              // name of a ClickHouse cluster; "": a single server
}

// Apply brings the database up to date and returns how many migrations it applied. It may run twice at once: every
// statement is one that does nothing the second time. It refuses a database in which a migration was applied
// whose file has been edited since; migrations that a newer program applied are left alone.
func Apply(ctx context.Context, cfg Config) (int, error) {
	all, err := All()
	if err != nil {
		return 0, err
	}
	return apply(ctx, cfg, all)
}

func apply(ctx context.Context, cfg Config, all []Migration) (int, error) {
	if err := createDatabase(ctx, cfg); err != nil {
		return 0, err
	}
	conn, err := clickhouse.Open(cfg.Options)
	if err != nil {
		return 0, fmt.Errorf("open ClickHouse: %w", err)
	}
	defer conn.Close()

	if err := execute(ctx, conn, cfg, ledger); err != nil {
		return 0, fmt.Errorf("create the table of migrations: %w", err)
	}
	done, err := applied(ctx, conn)
	if err != nil {
		return 0, err
	}
	count := 0
	for _, m := range all {
		sum, ok := done[m.Number]
		if ok && sum != m.Checksum {
			return count, fmt.Errorf("migration %04d_%s was edited after it was applied: restore the file and put the change into a new one", m.Number, m.Name)
		}
		if ok {
			continue
		}
		if err := applyOne(ctx, conn, cfg, m); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}

func applyOne(ctx context.Context, conn driver.Conn, cfg Config, m Migration) error {
	if err := execute(ctx, conn, cfg, m.SQL); err != nil {
		return fmt.Errorf("apply migration %04d_%s: %w", m.Number, m.Name, err)
	}
	err := conn.Exec(ctx, `INSERT INTO migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, now64(3))`,
		uint32(m.Number), m.Name, m.Checksum)
	if err != nil {
		return fmt.Errorf("note migration %04d_%s: %w", m.Number, m.Name, err)
	}
	return nil
}

// ledger is the table of what was applied. A migration that two programs applied at once has two rows, which say the same.
const ledger = `
CREATE TABLE IF NOT EXISTS migrations
(
    number     UInt32,
    name       String,
    checksum   String,
    applied_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(applied_at)
ORDER BY number`

func applied(ctx context.Context, conn driver.Conn) (map[int]string, error) {
	rows, err := conn.Query(ctx, `SELECT number, checksum FROM migrations FINAL`)
	if err != nil {
		return nil, fmt.Errorf("read the table of migrations: %w", err)
	}
	defer rows.Close()
	done := map[int]string{}
	for rows.Next() {
		var number uint32
		var sum string
		if err := rows.Scan(&number, &sum); err != nil {
			return nil, fmt.Errorf("read the table of migrations: %w", err)
		}
		done[int(number)] = sum
	}
	return done, rows.Err()
}

// createDatabase connects without the database, since a connection to a missing one is refused.
func createDatabase(ctx context.Context, cfg Config) error {
	options := *cfg.Options
	options.Auth.Database = ""
	conn, err := clickhouse.Open(&options)
	if err != nil {
		return fmt.Errorf("open ClickHouse: %w", err)
	}
	defer conn.Close()
	statement := "CREATE DATABASE IF NOT EXISTS " + quote(cfg.Options.Auth.Database)
	if cfg.Cluster != "" {
		statement += " ON CLUSTER " + quote(cfg.Cluster)
	}
	if err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("create database %s: %w", cfg.Options.Auth.Database, err)
	}
	return nil
}

// execute runs the statements of a file, each of which ends with a semicolon at the end of its line.
func execute(ctx context.Context, conn driver.Conn, cfg Config, text string) error {
	statements, err := forCluster(text, cfg)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func split(text string) []string {
	var statements []string
	for part := range strings.SplitSeq(text, ";\n") {
		if part = strings.TrimSuffix(strings.TrimSpace(part), ";"); part != "" {
			statements = append(statements, part)
		}
	}
	return statements
}

// quote makes an identifier of a name.
func quote(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}
