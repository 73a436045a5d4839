package settings

import (
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// ClickHouse is where facts are kept.
type ClickHouse struct {
	dsn, cluster *string
}

// ClickHouse declares the settings that say where the tables are.
func (s *Set) ClickHouse() ClickHouse {
	return ClickHouse{
		dsn: s.Secret("clickhouse-dsn", "ERRATA_CLICKHOUSE_DSN", "http://default@127.0.0.1:8123/errata",
			"the database, as http://user:password@host:port/database, or clickhouse:// for the native protocol"),
		cluster: s.String("clickhouse-cluster", "ERRATA_CLICKHOUSE_CLUSTER", "",
			"name of a ClickHouse cluster: tables are replicated, and sharded by run"),
	}
}

// Options gives what the client needs. An address that does not parse is a UsageError.
func (c ClickHouse) Options() (*clickhouse.Options, error) {
	options, err := clickhouse.ParseDSN(*c.dsn)
	if err != nil {
		return nil, Usagef("-clickhouse-dsn: %v: give an address such as http://default@127.0.0.1:8123/errata", err)
	}
	if options.Auth.Database == "" {
		options.Auth.Database = "errata"
	}
	return options, nil
}

// Cluster gives the cluster's name, "" for a single server.
func (c ClickHouse) Cluster() string { return *c.cluster }

// Limits is after how long something counts as over.
type Limits struct {
	Idle    *time.Duration // a run without activity has ended
	Horizon *time.Duration // an errored call without a next turn is followed by none
}

// Limits declares the settings of time.
func (s *Set) Limits() Limits {
	return Limits{
		Idle:    s.Duration("idle-limit", "ERRATA_IDLE_LIMIT", 30*time.Minute, "a run without activity for so long has ended"),
		Horizon: s.Duration("label-horizon", "ERRATA_LABEL_HORIZON", 5*time.Minute, "an errored call without a next turn for so long is followed by none"),
	}
}

// File declares a setting that names a file.
func (s *Set) File(name, env, usage string) *string { return s.String(name, env, "", usage) }

// ReadFile reads a file that a setting names; nil where the setting is empty. A file that cannot be read is a
// UsageError, since it is the setting that must be mended.
func ReadFile(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Usagef("-%s: %v: name a file that can be read", flag, err)
	}
	return text, nil
}
