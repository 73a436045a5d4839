package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/segmentio/kafka-go"

	"errata/pipeline/feed"
)

// tables is everything that ingest leaves behind: the rows of every table and what is on the rejects topic, as text.
type tables map[string][]string

// wallClock is the columns that say when something was written, which is the only thing that may differ.
const wallClock = "'stored_at', 'updated_at', 'rejected_at', 'applied_at'"

// read takes the rows of every table as a reader sees them, in order; of a table only the columns that are not excepted.
func (w *world) read(ctx context.Context, except ...string) (tables, error) {
	conn, err := w.open()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	columns, err := texts(ctx, conn, `
		SELECT concat(c.table, if(startsWith(any(t.engine), 'MergeTree'), '', ' FINAL'), '|', arrayStringConcat(groupArray(concat('"', c.name, '"')), ', '))
		FROM (SELECT * FROM system.columns WHERE database = currentDatabase() AND name NOT IN (`+wallClock+`) ORDER BY table, position) AS c
		JOIN (SELECT name, engine FROM system.tables WHERE database = currentDatabase()) AS t ON t.name = c.table
		WHERE t.engine LIKE '%MergeTree' AND NOT has({except:Array(String)}, c.name)
		GROUP BY c.table ORDER BY c.table`, clickhouse.Named("except", except))
	if err != nil {
		return nil, err
	}
	out := tables{}
	for _, line := range columns {
		table, list, _ := strings.Cut(line, "|")
		rows, err := texts(ctx, conn, "SELECT toString(tuple("+list+")) AS row FROM "+table+" ORDER BY row")
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(table, " FINAL")] = rows
	}
	if out["topic "+feed.RejectsTopic(topicName)], err = w.rejected(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

func texts(ctx context.Context, conn driver.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("read the tables: %w", err)
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// rejected gives what is on the rejects topic, each record once: one that is handled again is published again.
func (w *world) rejected(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	admin := feed.NewAdmin([]string{w.kafka}, &kafka.Transport{}) // none of whose connections ends at a broker that was killed
	ends, err := admin.Ends(ctx, feed.RejectsTopic(topicName))
	if err != nil {
		return nil, err
	}
	var out []string
	for partition, end := range ends {
		reader := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{w.kafka}, Topic: feed.RejectsTopic(topicName), Partition: partition, MaxWait: 100 * time.Millisecond})
		defer reader.Close()
		for {
			message, err := reader.ReadMessage(ctx)
			if err != nil {
				return nil, fmt.Errorf("read the rejects topic: %w", err)
			}
			sum := sha256.Sum256(message.Value)
			out = append(out, fmt.Sprintf("key %q headers %s value %s", message.Key, message.Headers, hex.EncodeToString(sum[:8])))
			if message.Offset+1 >= end {
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// difference is a row that only one side has.
type difference struct{ table, side, row string }

// differences compares sorted rows table by table.
func differences(want, got tables) (rows int, out []difference) {
	names := map[string]bool{}
	for name := range want {
		names[name] = true
	}
	for name := range got {
		names[name] = true
	}
	for name := range names {
		w, g := want[name], got[name]
		rows += len(w)
		for len(w) > 0 || len(g) > 0 {
			switch {
			case len(g) == 0 || len(w) > 0 && w[0] < g[0]:
				out = append(out, difference{name, "missing", w[0]})
				w = w[1:]
			case len(w) == 0 || g[0] < w[0]:
				out = append(out, difference{name, "too much", g[0]})
				g = g[1:]
			default:
				w, g = w[1:], g[1:]
			}
		}
	}
	return rows, out
}
