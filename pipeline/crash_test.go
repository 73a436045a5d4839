package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
	"errata/metrics"
	"errata/migrations"
	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/store"
	"errata/transcript"
)

// published stands for the rejects topic.
type published struct{ offsets []int64 }

func (p *published) Write(_ context.Context, rejects []feed.Rejected) error {
	for _, r := range rejects {
		p.offsets = append(p.offsets, r.Record.Offset)
	}
	return nil
}

// A step that panics on one record neither ends the process nor stops the others: that record is a reject.
func TestAPanicIsARejectOfItsRecordAlone(t *testing.T) {
	f := func(name string, sabotage func(*Pipeline), wantRuns string) {
		t.Run(name, func(t *testing.T) {
			p, rejects, runs := crashing(t)
			sabotage(p)
			var records []feed.Record
			for i := range 5 {
				value := fmt.Sprintf(`{"schema":"errata.run/v1","run_id":"r%d","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`, i)
				records = append(records, feed.Record{Offset: int64(i), Value: []byte(value), Time: time.Unix(1_790_000_000, 0).UTC()})
			}
			batch := feed.Batch{Records: records, Marks: []feed.Mark{{First: 0, Next: 5, HighWatermark: 5}}}
			if err := p.Handle(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			if got := runs("SELECT run_id FROM runs FINAL ORDER BY run_id"); got != wantRuns {
				t.Errorf("facts of %s, want %s", got, wantRuns)
			}
			if got := runs("SELECT concat(reason, ' ', toString(offset)) FROM rejects FINAL"); got != "crash 2" || !slices.Equal(rejects.offsets, []int64{2}) {
				t.Errorf("rejects %q, published %v, want offset 2 alone", got, rejects.offsets)
			}
			if got := runs("SELECT toString(next_offset) FROM ingest_progress FINAL"); got != "5" {
				t.Errorf("progress %s, want 5", got)
			}
		})
	}
	f("decode", func(p *Pipeline) {
		p.read = func(in dialect.Input, limits format.Limits) (dialect.Output, *dialect.Dialect, error) {
			if strings.Contains(string(in.Value), `"r2"`) {
				panic("boom")
			}
			return format.Decode(in, limits)
		}
	}, "r0 r1 r3 r4")
	f("merge", func(p *Pipeline) {
		join := p.join
		p.join = func(ctx context.Context, arrivals []assemble.Arrival) (assemble.Batch, error) {
			for _, a := range arrivals {
				if len(a.Fragments) > 0 && a.Fragments[0].Meta.ID == "r2" {
					panic("boom")
				}
			}
			return join(ctx, arrivals)
		}
	}, "r0 r1 r3 r4")
	f("mine", func(p *Pipeline) {
		p.mineRun = func(run transcript.Run, env metrics.Env) metrics.Facts {
			if run.Meta.ID == "r2" {
				panic("boom")
			}
			return metrics.Mine(run, env)
		}
	}, "r0 r1 r3 r4")
}

// crashing gives a pipeline on a database of its own, and a way to ask that.
func crashing(t *testing.T) (*Pipeline, *published, func(string) string) {
	t.Helper()
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Apply(t.Context(), migrations.Config{Options: options}); err != nil {
		t.Fatal(err)
	}
	target, err := store.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target.Close() })
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	rejects := &published{}
	cfg := DefaultConfig(metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()})
	cfg.Group, cfg.Topic = "g", "t"
	p, err := New(cfg, target, rejects, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return p, rejects, func(query string) string {
		rows, err := conn.Query(context.Background(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var out []string
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			out = append(out, text)
		}
		return strings.Join(out, " ")
	}
}
