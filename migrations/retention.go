package migrations

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Retention says how long what was stored is kept; 0 leaves a table as it is, which at first is for ever.
type Retention struct {
	Transcripts time.Duration // what was said, since it arrived
	Facts       time.Duration // the facts of a run and its rejects, since they were last written
}

// Shortest is the least that anything may be kept: a run that goes on while its beginning is removed would be mined from what
// is left.
const Shortest = 24 * time.Hour

// Validate says which duration cannot be used.
func (r Retention) Validate() error {
	for name, keep := range map[string]time.Duration{"transcripts": r.Transcripts, "facts": r.Facts} {
		if keep != 0 && keep < Shortest {
			return fmt.Errorf("%s cannot be kept for %s: give at least %s, or 0 to leave the tables as they are", name, keep, Shortest)
		}
	}
	return nil
}

// ttl gives the expression by which rows of a table expire. Deleted runs stay deleted.
func (r Retention) ttl() []struct{ table, expression string } {
	var out []struct{ table, expression string }
	add := func(table, format string, keep time.Duration) {
		if keep > 0 {
			out = append(out, struct{ table, expression string }{table, fmt.Sprintf(format, int64(keep.Seconds()))})
		}
	}
	add("transcripts", "toDateTime(arrived) + toIntervalSecond(%d)", r.Transcripts)
	add("runs", "toDateTime(stored_at) + toIntervalSecond(%d) WHERE is_deleted = 0", r.Facts)
	add("rejects", "toDateTime(rejected_at) + toIntervalSecond(%d)", r.Facts)
	return out
}

// Retain makes the tables forget what is older, where they do not do so already. It may run twice at once.
func Retain(ctx context.Context, cfg Config, retention Retention) error {
	if err := retention.Validate(); err != nil {
		return err
	}
	conn, err := clickhouse.Open(cfg.Options)
	if err != nil {
		return fmt.Errorf("open ClickHouse: %w", err)
	}
	defer conn.Close()
	for _, t := range retention.ttl() {
		if err := expire(ctx, conn, cfg, t.table, t.expression); err != nil {
			return fmt.Errorf("set how long %s are kept: %w", t.table, err)
		}
	}
	return nil
}

func expire(ctx context.Context, conn driver.Conn, cfg Config, table, expression string) error {
	target, on := table, ""
	if cfg.Cluster != "" {
		target, on = table+"_local", " ON CLUSTER "+quote(cfg.Cluster)
	}
	var engine string
	err := conn.QueryRow(ctx, "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = {table:String}",
		clickhouse.Named("table", target)).Scan(&engine)
	if err != nil {
		return err
	}
	if strings.Contains(engine, expression) {
		return nil
	}
	return conn.Exec(ctx, fmt.Sprintf("ALTER TABLE %s%s MODIFY TTL %s", target, on, strings.Replace(expression, " WHERE ", " DELETE WHERE ", 1)))
}
