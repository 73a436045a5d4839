package migrations

import (
	"fmt"
	"regexp"
)

// An ALTER TABLE statement of the form that the migrations are written in. Submatches: what stands before it, the table,
// what is changed.
var alterTable = regexp.MustCompile(`(?s)^((?:--[^\n]*\n)*)ALTER TABLE (\w+)\n(.*)$`)

// alter gives the statements of an ALTER TABLE, nil where a statement is none. On a cluster the replicated tables change
// first, since the distributed ones read from them.
func alter(statement string, cfg Config) []string {
	parts := alterTable.FindStringSubmatch(statement)
	if parts == nil {
		return nil
	}
	name, change := parts[2], parts[3]
	if cfg.Cluster == "" {
		return []string{statement}
	}
	on := quote(cfg.Cluster)
	return []string{
		fmt.Sprintf("ALTER TABLE %s_local ON CLUSTER %s\n%s", name, on, change),
		fmt.Sprintf("ALTER TABLE %s ON CLUSTER %s\n%s", name, on, change),
	}
}
