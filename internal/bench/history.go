package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/simulate"
)

// callsPerRun is the length of a run of the history.
const callsPerRun = 20

// mined is how many runs of the history the real code mines; the others are made from them.
const mined = 2000

// history brings the facts from so many calls to so many: runs that the real programs mined, copied with other ids and
// times by the engine. One call of ten fails. Ten seconds of a run stand under one of 50 tools, with four codes each; runs
// start anywhere in 90 days, in no order of their ids.
func (s *stack) history(ctx context.Context, have, want int) error {
	conn, err := s.conn("errata")
	if err != nil {
		return err
	}
	defer conn.Close()
	text, err := copying(ctx, conn)
	if err != nil {
		return err
	}
	const chunk = 25 // copies of every run in one insert
	first, last := have/callsPerRun/mined, want/callsPerRun/mined
	for from := first; from < last; from += chunk {
		if err := conn.Exec(ctx, fmt.Sprintf(text, from, min(from+chunk, last))); err != nil {
			return fmt.Errorf("copy runs: %w", err)
		}
	}
	return nil
}

// stackAt says where the programs are and where a history is kept.
type stackAt struct{ bin, dir string }

// made is how many calls a kept folder holds already.
func (s *stack) made(ctx context.Context) (int, error) {
	conn, err := s.conn("default")
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	var runs uint64
	err = conn.QueryRow(ctx, "SELECT toUInt64(ifNull(sum(total_rows), 0)) FROM system.tables WHERE database = 'errata' AND name = 'runs'").Scan(&runs)
	if err != nil {
		return 0, fmt.Errorf("ask how long the history is: %w", err)
	}
	return int(runs) / mined * mined * callsPerRun, nil
}

// mine has the real programs mine the runs that a history is made from.
func (s *stack) mine(ctx context.Context) error {
	cfg := simulate.DefaultLoad()
	cfg.Runs, cfg.CallsPerRun = mined, callsPerRun
	if _, err := publish(ctx, s, "history", cfg); err != nil {
		return err
	}
	_, err := s.program(ctx, "ingest", "run", "-until-caught-up", "-kafka-topic", "history", "-kafka-group", "errata-history")
	return err
}

// copying is the statement that copies the mined runs, with two places for the range of copies.
func copying(ctx context.Context, conn driver.Conn) (string, error) {
	rows, err := conn.Query(ctx, "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'runs' AND name NOT IN ('is_deleted', 'stored_at') ORDER BY position")
	if err != nil {
		return "", fmt.Errorf("list the columns of runs: %w", err)
	}
	defer rows.Close()
	var names, values []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return "", fmt.Errorf("list the columns of runs: %w", err)
		}
		names = append(names, "`"+name+"`")
		values = append(values, copied(name, kind))
	}
	if err := rows.Err(); err != nil {
		return "", fmt.Errorf("list the columns of runs: %w", err)
	}
	return "INSERT INTO runs (" + strings.Join(names, ", ") + ")\nSELECT\n    " + strings.Join(values, ",\n    ") + `
FROM (SELECT *, cityHash64(run_id, copy) AS h FROM runs FINAL ARRAY JOIN range(%d, %d) AS copy WHERE startsWith(run_id, 'load-')) AS r`, nil
}

// halved are the families of which a copied run keeps the first half, so that one call of ten fails, not one of five.
var halved = []string{"errors.", "episodes.", "charges.", "patterns.", "pairs.", "findings."}

// The place of a row in the history, by ten seconds of its run's time.
const (
	toolOf = "cityHash64(r.h, intDiv(toUnixTimestamp64Milli(t) - toUnixTimestamp64Milli(r.started_at), 10000)) %% 50"
	codeOf = toolOf + " * 4 + r.h %% 4"
	moved  = " + toIntervalMillisecond(r.h %% 7776000000)"
)

// copied is the value of a column in a copied run.
func copied(name, kind string) string {
	family, field, _ := strings.Cut(name, ".")
	column := "r.`" + name + "`"
	times := "r.`" + family + ".time`"
	for _, prefix := range halved {
		if strings.HasPrefix(name, prefix) {
			column = "arraySlice(" + column + ", 1, intDiv(length(" + column + ") + 1, 2))"
			times = "arraySlice(" + times + ", 1, intDiv(length(" + times + ") + 1, 2))"
		}
	}
	switch {
	case name == "run_id":
		return "concat('run-', lower(hex(r.h)))"
	case name == "agent":
		return "concat('agent-', toString(intDiv(r.h, 11) %% 5))"
	case strings.HasPrefix(kind, "DateTime64"):
		return column + moved
	case strings.HasPrefix(kind, "Array(DateTime64"):
		return "arrayMap(t -> t" + moved + ", " + column + ")"
	case name == "calls.outcome":
		return "arrayMap((o, i) -> if(o = 'error' AND i > 10, 'ok', toString(o)), " + column + ", arrayEnumerate(" + column + "))"
	case name == "errors.label":
		return "arrayMap((l, i) -> ['repeat', 'corrected', 'switched', 'replied', 'user', 'ended'][cityHash64(r.h, i) %% 6 + 1], " + column + ", arrayEnumerate(" + column + "))"
	case name == "episodes.attempts":
		return "arrayMap((a, i) -> toUInt32(1 + cityHash64(i, r.h) %% 5), " + column + ", arrayEnumerate(" + column + "))"
	case field == "tool" && family != "accepted":
		return "arrayMap(t -> concat('tool-', toString(" + toolOf + ")), " + times + ")"
	case field == "code":
		return "arrayMap(t -> concat('code-', toString(" + codeOf + ")), " + times + ")"
	case field == "model":
		return "arrayMap(x -> concat('model-', toString(intDiv(r.h, 7) %% 4)), " + column + ")"
	case field == "variant":
		return "arrayMap(x -> concat('variant-', toString(intDiv(r.h, 5) %% 3)), " + column + ")"
	}
	return column
}
