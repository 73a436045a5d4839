package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/devstack/devtest"
	"errata/internal/simulate"
	"errata/metrics"
	"errata/migrations"
	"errata/pipeline"
	"errata/pipeline/feed"
	"errata/pipeline/store"
)

// world is a database with everything that writes to it.
type world struct {
	t       testing.TB
	store   *store.Store
	conn    driver.Conn
	rejects *kept
	cfg     pipeline.Config
}

// kept stands for the rejects topic.
type kept struct{ rejects []feed.Rejected }

func (k *kept) Write(_ context.Context, rejects []feed.Rejected) error {
	k.rejects = append(k.rejects, rejects...)
	return nil
}

func newWorld(t testing.TB) *world {
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
	cfg := pipeline.DefaultConfig(metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()})
	cfg.Group, cfg.Topic = "g", "t"
	return &world{t: t, store: target, conn: conn, rejects: &kept{}, cfg: cfg}
}

// pipeline gives a pipeline that knows nothing, as after a restart.
func (w *world) pipeline() *pipeline.Pipeline {
	w.t.Helper()
	p, err := pipeline.New(w.cfg, w.store, w.rejects, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := p.Assigned(w.t.Context(), []int{0}); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// handle gives a pipeline records as one batch.
func (w *world) handle(p *pipeline.Pipeline, records []feed.Record) {
	w.t.Helper()
	if len(records) == 0 {
		return
	}
	mark := feed.Mark{First: records[0].Offset, Next: records[len(records)-1].Offset + 1}
	mark.HighWatermark = mark.Next
	if err := p.Handle(w.t.Context(), feed.Batch{Records: records, Marks: []feed.Mark{mark}}); err != nil {
		w.t.Fatal(err)
	}
}

// facts gives every row of the table of facts as text, but for when it was written and, where asked, its version.
func (w *world) facts(except string) []string {
	w.t.Helper()
	return w.rows("SELECT toString(tuple(* EXCEPT (" + except + "))) FROM runs FINAL ORDER BY run_id")
}

func (w *world) rows(query string) []string {
	w.t.Helper()
	rows, err := w.conn.Query(context.Background(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// records makes Kafka records of what the simulator wrote, in its order.
func records(simulated []simulate.Record) []feed.Record {
	out := make([]feed.Record, len(simulated))
	for i, r := range simulated {
		out[i] = feed.Record{Offset: int64(i), Key: []byte(r.Key), Value: r.Value, Time: r.Time}
	}
	return out
}

func same(t *testing.T, what string, want, got []string) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("%s: nothing to compare", what)
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s: row %d is\n%s\nwant\n%s", what, i, got[i], want[i])
		}
	}
}

// Any split of the runs into records, in any order and with repetition, and restarts in between: the same facts as one clean
// pass over whole runs; and for one split the very same rows, versions and transcripts included.
func TestHoweverRecordsComeTheTablesAreTheSame(t *testing.T) {
	var runs []simulate.Run
	for run := range simulate.Generate(simulate.Small()) {
		runs = append(runs, run)
	}
	cuts := map[string]func(simulate.Run) []simulate.Record{
		"whole runs": func(r simulate.Run) []simulate.Record { return r.Records },
		"increments": func(r simulate.Run) []simulate.Record { return r.Increments(5) },
		"snapshots":  func(r simulate.Run) []simulate.Record { return r.Snapshots(4) },
	}
	var facts []string
	for name, cut := range cuts {
		t.Run(name, func(t *testing.T) {
			var inOrder []simulate.Record
			for _, run := range runs {
				inOrder = append(inOrder, cut(run)...)
			}
			sort.SliceStable(inOrder, func(i, j int) bool { return inOrder[i].Time.Before(inOrder[j].Time) })
			clean := newWorld(t)
			clean.handle(clean.pipeline(), records(inOrder))
			if facts == nil {
				facts = clean.facts("stored_at, version, messages")
			}
			same(t, "facts of another cut", facts, clean.facts("stored_at, version, messages"))

			for seed := range uint64(3) {
				torn := newWorld(t)
				torn.cfg.Assemble.MaxBytes = 200_000 // most runs are read back
				inDisorder(torn, inOrder, seed)
				same(t, fmt.Sprintf("rows in disorder %d", seed), clean.facts("stored_at"), torn.facts("stored_at"))
				const said = "SELECT toString(tuple(* EXCEPT (stored_at))) FROM transcripts FINAL ORDER BY run_id, thread_id, kind, slot"
				same(t, fmt.Sprintf("transcripts in disorder %d", seed), clean.rows(said), torn.rows(said))
			}
		})
	}
}

// inDisorder shuffles records, gives a third of them twice, in batches of any size, and restarts now and then: between
// batches, and in the middle of one, when its rows are stored but not committed.
func inDisorder(w *world, given []simulate.Record, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	all := records(given)
	for _, i := range random.Perm(len(all))[:len(all)/3] {
		all = append(all, all[i])
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	p := w.pipeline()
	for len(all) > 0 {
		n := min(1+random.IntN(len(all)/3+1), len(all))
		w.handle(p, all[:n])
		if random.IntN(3) == 0 {
			p = w.pipeline()
		}
		if random.IntN(4) > 0 { // else the same batch comes again
			all = all[n:]
		}
	}
}

// A bad record lands among the rejects with its reason; its neighbours are stored.
func TestBadRecordsDoNotStopTheirNeighbours(t *testing.T) {
	good := func(id string) string {
		return fmt.Sprintf(`{"schema":"errata.run/v1","run_id":%q,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}],"ended":true}`, id)
	}
	bad := []struct{ name, value, reason string }{
		{"malformed", `{"schema":"errata.run/v1","run_id":`, "malformed_json"},
		{"wrong type", `{"schema":"errata.run/v1","run_id":5,"messages":[]}`, "wrong_type"},
		{"no run id", `{"schema":"errata.run/v1","messages":[{"role":"user","content":"x"}]}`, "missing_field"},
		{"deep", `{"schema":"errata.run/v1","run_id":"deep","messages":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, "too_deep"},
		{"not a transcript", `{"hello":"world"}`, "unknown_format"},
		{"empty", ``, ""},
		{"binary", "\x00\x01\x02\xff", ""},
	}
	w := newWorld(t)
	var all []feed.Record
	add := func(value string) {
		all = append(all, feed.Record{Offset: int64(len(all)), Value: []byte(value), Time: time.Unix(1_790_000_000, 0).UTC()})
	}
	for i, b := range bad {
		add(good(fmt.Sprintf("before-%d", i)))
		add(b.value)
	}
	add(good("last"))
	w.handle(w.pipeline(), all)

	if rows := w.rows("SELECT run_id FROM runs FINAL"); len(rows) != len(bad)+1 {
		t.Errorf("stored %v", rows)
	}
	reasons := map[string]string{}
	for _, row := range w.rows("SELECT concat(toString(offset), ' ', reason, ' ', message) FROM rejects FINAL") {
		offset, rest, _ := strings.Cut(row, " ")
		reasons[offset] = rest
	}
	for i, b := range bad {
		got, ok := reasons[fmt.Sprint(2*i+1)]
		if !ok || !strings.HasPrefix(got, b.reason) {
			t.Errorf("%s: rejected with %q, want %s", b.name, got, b.reason)
		}
	}
	if len(w.rejects.rejects) != len(bad) {
		t.Errorf("%d published, want %d", len(w.rejects.rejects), len(bad))
	}
}
