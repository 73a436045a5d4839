package pipeline_test

import (
	"context"
	"runtime"
	"testing"

	"errata/internal/simulate"
	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/store"
	"errata/transcript"
)

// nothing is a store in which no run is.
type nothing struct{}

func (nothing) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}

// material is one batch of a load at each step of its way.
type material struct {
	records  []feed.Record
	arrivals []assemble.Arrival
	changed  []assemble.Changed
	rows     []transcript.Row
	runs     []store.Run
	env      metrics.Env
}

// newMaterial brings the first calls of a load through all steps but the last.
func newMaterial(b *testing.B) *material {
	m := &material{env: metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}}
	cfg := simulate.DefaultLoad()
	cfg.Runs = 1000
	for r := range simulate.Load(cfg) {
		m.records = append(m.records, feed.Record{Offset: int64(len(m.records)), Key: []byte(r.Key), Value: r.Value, Time: r.Time})
	}
	m.arrivals = m.decode(b)
	m.changed = m.assemble(b)
	for _, c := range m.changed {
		m.rows = append(m.rows, c.Rows...)
	}
	m.runs = m.mine()
	return m
}

func (m *material) decode(b *testing.B) []assemble.Arrival {
	arrivals := make([]assemble.Arrival, len(m.records))
	for i, r := range m.records {
		out, _, err := format.Decode(dialect.Input{Value: r.Value, Key: string(r.Key)}, format.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		arrivals[i] = assemble.Arrival{Fragments: out.Fragments, Time: r.Time}
	}
	return arrivals
}

func (m *material) assemble(b *testing.B) []assemble.Changed {
	a, err := assemble.New(assemble.DefaultConfig(), nothing{})
	if err != nil {
		b.Fatal(err)
	}
	batch, err := a.Batch(b.Context(), m.arrivals)
	if err != nil {
		b.Fatal(err)
	}
	return batch.Changed
}

func (m *material) mine() []store.Run {
	runs := make([]store.Run, len(m.changed))
	for i, c := range m.changed {
		runs[i] = store.Run{Version: c.Version, Facts: metrics.Mine(c.Run, m.env)}
	}
	return runs
}

// BenchmarkStep is each step alone over one batch of 20,000 calls, by the call. Decoding and mining are done by one core
// here; ingest does them, and assembling, on all.
func BenchmarkStep(b *testing.B) {
	m := newMaterial(b)
	w := newWorld(b)
	steps := []struct {
		name string
		do   func() error
	}{
		{"format", func() error { m.decode(b); return nil }},
		{"assemble", func() error { m.assemble(b); return nil }},
		{"mine", func() error { m.mine(); return nil }},
		{"store/transcripts", func() error { return w.store.WriteTranscripts(b.Context(), m.rows) }},
		{"store/facts", func() error { return w.store.WriteRuns(b.Context(), m.runs) }},
	}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				if err := step.do(); err != nil {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			calls := float64(b.N * len(m.records))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/calls, "ns/call")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/calls, "allocs/call")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/calls, "B/call")
		})
	}
}
