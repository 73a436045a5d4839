package ask_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
	"errata/metrics"
	"errata/metrics/ask"
	"errata/migrations"
	"errata/pipeline/store"
	"errata/transcript"
)

// t0 is when the runs of these tests start. It is midnight, so that days and hours are easy to count.
var t0 = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

// later is long after everything: all is mature and all runs have ended.
var later = t0.Add(90 * 24 * time.Hour)

// fixture is a database of its own with the questions on it.
type fixture struct {
	*ask.DB
	t     *testing.T
	dsn   string
	store *store.Store
}

func open(t *testing.T) fixture {
	t.Helper()
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return later }
	return openWith(t, settings)
}

func openWith(t *testing.T, settings ask.Settings) fixture {
	t.Helper()
	dsn := devtest.ClickHouse(t)
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Apply(t.Context(), migrations.Config{Options: options}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	db, err := ask.Open(dsn, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return fixture{DB: db, t: t, dsn: dsn, store: s}
}

// put stores runs.
func (f fixture) put(runs ...metrics.Facts) {
	f.t.Helper()
	f.putVersion(1, runs...)
}

// run is a run that starts at t0, carries times, has not been said to end, and was active for the given time.
func run(id string, active time.Duration) metrics.Facts {
	var f metrics.Facts
	f.Run.Meta = transcript.Meta{ID: transcript.RunID(id), Agent: "bot"}
	f.Run.Started, f.Run.LastActivity, f.Run.Timed = t0, t0.Add(active), true
	return f
}

// call is a call of the tool at t0 plus the given time.
func call(at time.Duration, tool transcript.Tool, outcome metrics.Outcome) metrics.CallFact {
	return metrics.CallFact{Time: t0.Add(at), Tool: tool, Model: "gpt", Variant: "plain", Outcome: outcome}
}

// failed is an errored call with what followed it.
func failed(at time.Duration, tool transcript.Tool, code transcript.Code, label metrics.Label) metrics.CallFact {
	c := call(at, tool, metrics.OutcomeError)
	c.Code, c.Folded, c.Label = code, code, label
	return c
}

// episode is one that opens at t0 plus the given time.
func episode(at time.Duration, tool transcript.Tool, code transcript.Code, ending metrics.Ending, attempts int) metrics.EpisodeFact {
	e := metrics.EpisodeFact{
		Tool: tool, Code: code, Model: "gpt", Variant: "plain", Time: t0.Add(at), Ending: ending, Attempts: attempts,
	}
	if ending == metrics.EndingRecovered || ending == metrics.EndingRecoveredWithUser {
		e.Turns = attempts
	}
	return e
}

// only is the one row of an answer.
func only[T any](t *testing.T, a ask.Answer[T], err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Rows) != 1 {
		t.Fatalf("%d rows, want one: %+v", len(a.Rows), a.Rows)
	}
	return a.Rows[0]
}

// putVersion stores runs as they are known later.
func (f fixture) putVersion(version uint64, runs ...metrics.Facts) {
	f.t.Helper()
	rows := make([]store.Run, len(runs))
	for i, facts := range runs {
		rows[i] = store.Run{Version: version, Messages: 1, Facts: facts}
	}
	if err := f.store.Write(context.Background(), nil, rows); err != nil {
		f.t.Fatal(err)
	}
}

// withSettings asks the same database under other settings.
func (f fixture) withSettings(settings ask.Settings) *ask.DB {
	f.t.Helper()
	settings.Now = func() time.Time { return later }
	db, err := ask.Open(f.dsn, settings)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = db.Close() })
	return db
}

// refused checks that a question was refused for the parameter.
func refused(t *testing.T, err error, field string) {
	t.Helper()
	var refusal *ask.Error
	if !errors.As(err, &refusal) {
		t.Errorf("%s: got %v, want a refusal", field, err)
		return
	}
	if refusal.Field != field || refusal.Message == "" {
		t.Errorf("refused for %q (%s), want %q", refusal.Field, refusal.Message, field)
	}
}
