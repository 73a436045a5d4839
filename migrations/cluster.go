package migrations

import (
	"fmt"
	"regexp"
	"strings"
)

// A CREATE TABLE statement of the form that the migrations are written in. Submatches: what stands before it, its
// name, its columns, the MergeTree that it uses, the rest.
var createTable = regexp.MustCompile(`(?s)^(.*?)CREATE TABLE (?:IF NOT EXISTS )?(\w+)\n(\(.*\n\))\nENGINE = (\w*MergeTree)(.*)$`)

// insert is a statement that fills a table from others, which is the same on a cluster.
var insert = regexp.MustCompile(`(?m)^INSERT INTO \w+$`)

// shardedBy is the directive by which a table says what spreads it over the shards of a cluster.
var shardedBy = regexp.MustCompile(`(?m)^-- Sharded by (.+)\.$`)

// forCluster gives the statements of a file as they are for a single server, and for a cluster with replicated
// tables on every shard, called name_local, under distributed ones that bear the name itself.
func forCluster(text string, cfg Config) ([]string, error) {
	var out []string
	for _, statement := range split(text) {
		parts := createTable.FindStringSubmatch(statement)
		if altered := alter(statement, cfg); altered != nil {
			out = append(out, altered...)
			continue
		}
		if parts == nil {
			if cfg.Cluster != "" && !insert.MatchString(statement) {
				return nil, fmt.Errorf("a cluster needs statements of the form CREATE TABLE name or INSERT INTO name, got %.60q", statement)
			}
			out = append(out, statement)
			continue
		}
		out = append(out, table{
			comment: parts[1], name: parts[2], columns: parts[3], engine: parts[4], rest: parts[5],
		}.statements(cfg)...)
	}
	return out, nil
}

type table struct{ comment, name, columns, engine, rest string }

func (t table) statements(cfg Config) []string {
	if cfg.Cluster == "" {
		return []string{fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s\n%s\nENGINE = %s%s", t.name, t.columns, t.engine, t.rest)}
	}
	arguments, order := t.arguments()
	local := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s_local ON CLUSTER %s\n%s\nENGINE = Replicated%s('/clickhouse/tables/{shard}/{database}/%s_local', '{replica}'%s)%s",
		t.name, quote(cfg.Cluster), t.columns, t.engine, t.name, arguments, order)
	distributed := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s ON CLUSTER %s AS %s_local\nENGINE = Distributed(%s, %s, %s_local, %s)",
		t.name, quote(cfg.Cluster), t.name, quote(cfg.Cluster), quote(cfg.Options.Auth.Database), t.name, t.shard())
	return []string{local, distributed}
}

// arguments takes the engine's own arguments, each preceded by a comma, from the rest of the statement.
func (t table) arguments() (arguments, order string) {
	if !strings.HasPrefix(t.rest, "(") {
		return "", t.rest
	}
	inside, order, _ := strings.Cut(t.rest[1:], ")")
	return ", " + inside, order
}

// shard is the expression that picks a row's shard. Small tables without a directive live on one shard.
func (t table) shard() string {
	if m := shardedBy.FindStringSubmatch(t.comment); m != nil {
		return m[1]
	}
	return "0"
}
