package migrations

import (
	"fmt"
	"regexp"
)

// A CREATE MATERIALIZED VIEW statement of the form that the migrations are written in. Submatches: what stands before it,
// its name, the table that it fills, its query up to the table that it reads, that table, the rest.
var createView = regexp.MustCompile(`(?s)^((?:--[^\n]*\n)*)CREATE MATERIALIZED VIEW (\w+) TO (\w+) AS\n(.*\nFROM )(\w+)\n(.*)$`)

// view gives the statement of a materialized view, nil where a statement is none. On a cluster it stands on every server,
// between the tables of that server: what is inserted there is carried on there.
func view(statement string, cfg Config) []string {
	parts := createView.FindStringSubmatch(statement)
	if parts == nil {
		return nil
	}
	name, to, query, from, rest := parts[2], parts[3], parts[4], parts[5], parts[6]
	on := ""
	if cfg.Cluster != "" {
		name, to, from, on = name+"_local", to+"_local", from+"_local", " ON CLUSTER "+quote(cfg.Cluster)
	}
	return []string{fmt.Sprintf("CREATE MATERIALIZED VIEW IF NOT EXISTS %s%s TO %s AS\n%s%s\n%s", name, on, to, query, from, rest)}
}
