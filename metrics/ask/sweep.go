package ask

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// overlap is how long before the last look an insert may have begun that appeared after it.
const overlap = 10 * time.Minute

// firstParts is in how many parts the first look is taken, at all runs that there are, so that memory holds one of them.
const firstParts = 32

// ForgetMoved looks for runs that stand in time where they no longer belong, and removes them there: at first among all
// runs, then among those written since the last look. Where nothing was written it does nothing.
func (db *DB) ForgetMoved(ctx context.Context) error {
	var now, written time.Time
	if err := db.conn.QueryRow(ctx, "SELECT now64(6, 'UTC'), max(written_at) FROM stretches").Scan(&now, &written); err != nil {
		return fmt.Errorf("ask when runs were last written: %w", err)
	}
	last := db.looked.Load()
	switch {
	case last == nil:
		for part := range firstParts {
			if err := db.forgetMoved(ctx, moving{since: time.Unix(0, 0), part: part, parts: firstParts}); err != nil {
				return err
			}
		}
	case written.After(last.Add(-overlap)):
		if err := db.forgetMoved(ctx, moving{since: last.Add(-overlap), parts: 1}); err != nil {
			return err
		}
	}
	db.looked.Store(&now)
	return nil
}

// moving says among which runs is looked: those written since a moment, of one of so many parts.
type moving struct {
	since       time.Time
	part, parts int
}

// forgetMoved finds runs written since a moment that stand where their newest facts do not, and deletes them there. Writing
// leaves those behind whose stretch shrank or moved, which only corrected times do, or that were deleted meanwhile. The
// deletion bears the version of what it deletes, of which the later row counts: so it never hides what is being written.
func (db *DB) forgetMoved(ctx context.Context, m moving) error {
	p := parameters{}
	p.moment("since", m.since)
	p.number("part", int64(m.part))
	p.number("parts", int64(m.parts))
	err := db.conn.Exec(clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters(p))), `
		INSERT INTO dated_runs (level, stretch, run_id, version, is_deleted)
		WITH written AS
		(
			SELECT DISTINCT run_id FROM dated_runs WHERE stored_at >= {since:DateTime64(3, 'UTC')} AND cityHash64(run_id) % {parts:Int64} = {part:Int64}
		)
		SELECT stale.level, stale.stretch, stale.run_id, if(truth.gone, truth.newest, stale.version), 1
		FROM
		(
			SELECT level, stretch, run_id, version FROM dated_runs FINAL WHERE run_id IN (SELECT run_id FROM written)
		) AS stale
		INNER JOIN
		(
			SELECT run_id, max(version) AS newest, argMax(is_deleted, version) AS gone
			FROM runs
			WHERE run_id IN (SELECT run_id FROM written)
			GROUP BY run_id
		) AS truth
		ON stale.run_id = truth.run_id
		WHERE truth.newest > stale.version OR truth.gone`)
	if err != nil {
		return fmt.Errorf("forget where runs stood: %w", err)
	}
	return nil
}

// kept is how long cells stay that no longer count: longer than any question takes.
const kept = "toIntervalHour(1)"

// sweepCells removes cells that are not, or no longer, part of a roll that counts. The hours of some days stop to count first.
func (db *DB) sweepCells(ctx context.Context, days []int32) error {
	if len(days) > 0 {
		err := db.conn.Exec(ctx, "DELETE FROM rolls WHERE level = 0 AND intDiv(stretch, 24) * 24 IN {days:Array(Int32)}", clickhouse.Named("days", days))
		if err != nil {
			return fmt.Errorf("remove the hours of %d days: %w", len(days), err)
		}
	}
	const stale = `(level, stretch, roll) NOT IN
		(
			SELECT level, stretch, max(rolls.roll) FROM rolls WHERE basis = {basis:UInt64} GROUP BY level, stretch
		)
		AND roll < toUInt64(bitShiftLeft(toUInt64(toUnixTimestamp64Micro(now64(6) - ` + kept + `)), 10))`
	var n uint64
	err := db.conn.QueryRow(ctx, "SELECT count() FROM span_cells WHERE "+stale, clickhouse.Named("basis", basis)).Scan(&n)
	if err != nil {
		return fmt.Errorf("count cells that no longer count: %w", err)
	}
	if n == 0 {
		return nil
	}
	for name := range combining {
		table := strings.TrimSuffix(name, ".sql") + "_cells"
		if err := db.conn.Exec(ctx, "DELETE FROM "+table+" WHERE "+stale, clickhouse.Named("basis", basis)); err != nil {
			return fmt.Errorf("remove cells from %s: %w", table, err)
		}
	}
	return nil
}
