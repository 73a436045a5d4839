package migrations

import (
	"slices"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func TestOnAClusterBothTablesChange(t *testing.T) {
	cfg := Config{Options: &clickhouse.Options{Auth: clickhouse.Auth{Database: "errata"}}}
	const text = "-- Why.\nALTER TABLE runs\n    ADD COLUMN IF NOT EXISTS a UInt8,\n    -- And why this.\n    ADD COLUMN IF NOT EXISTS b UInt8;\n"
	got, err := forCluster(text, cfg)
	if want := []string{text[:len(text)-2]}; err != nil || !slices.Equal(got, want) {
		t.Errorf("on a single server: %q, %v", got, err)
	}
	cfg.Cluster = "main"
	got, err = forCluster(text, cfg)
	const change = "\n    ADD COLUMN IF NOT EXISTS a UInt8,\n    -- And why this.\n    ADD COLUMN IF NOT EXISTS b UInt8"
	if want := []string{"ALTER TABLE runs_local ON CLUSTER `main`" + change, "ALTER TABLE runs ON CLUSTER `main`" + change}; err != nil || !slices.Equal(got, want) {
		t.Errorf("on a cluster: %q, %v", got, err)
	}
}
