package browsertest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/prometheus/client_golang/prometheus"

	"errata/internal/browser"
	"errata/internal/devstack/devtest"
	"errata/internal/simulate"
	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/migrations"
	"errata/pipeline"
	"errata/pipeline/feed"
	"errata/pipeline/store"
	"errata/transcript"
	"errata/web"
	"errata/web/api"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// quiet logs nothing: what goes wrong shows in the page.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// gallery serves every page in every state from made-up data.
func gallery(t testing.TB) string {
	t.Helper()
	browser.Need(t)
	handler, err := web.NewGallery(web.Access{}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, handler)
}

func serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// site is the dashboard on an engine with simulated runs.
type site struct {
	url  string
	now  time.Time
	line *pipeline.Pipeline
	next int64
	rest []simulate.Run // runs that are not ingested yet, in order
	took *prometheus.Registry
}

type noRejects struct{ t testing.TB }

func (n noRejects) Write(_ context.Context, rejects []feed.Rejected) error {
	for _, r := range rejects {
		n.t.Errorf("rejected: %s", r.Message)
	}
	return nil
}

// end is when the simulated weeks end.
var end = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// demo serves the runs of the demo, all but the given number of the newest.
func demo(t testing.TB, left int) *site {
	t.Helper()
	browser.Need(t)
	return stored(t, left)
}

// stored is demo without a browser.
func stored(t testing.TB, left int) *site {
	t.Helper()
	dsn := devtest.ClickHouse(t)
	options, err := clickhouse.ParseDSN(dsn)
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
	env := metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	s := &site{now: end, took: prometheus.NewRegistry()}
	if s.line, err = pipeline.New(pipeline.DefaultConfig(env), target, noRejects{t}, quiet()); err != nil {
		t.Fatal(err)
	}
	s.line.Assigned(t.Context(), []int{0})
	for run := range simulate.Generate(simulate.Demo(end)) {
		s.rest = append(s.rest, run)
	}
	s.ingest(t, len(s.rest)-left)
	settings := ask.DefaultSettings()
	settings.Mine = func(run transcript.Run) metrics.Facts { return metrics.Mine(run, env) }
	settings.Now = func() time.Time { return s.now }
	db, err := ask.Open(dsn, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	reviews := review.New(db.Conn(), time.Now)
	pages, err := web.New(web.Config{Questions: db, Reviews: reviews, API: api.New(db, reviews, quiet()), Log: quiet(), Now: settings.Now, Registry: s.took,
		Live: web.Live{Every: 300 * time.Millisecond, Again: time.Hour, Beat: 100 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	s.url = serve(t, pages)
	t.Cleanup(pages.EndStreams)
	return s
}

// ingest sends the next runs through the pipeline. All that is left after them is behind.
func (s *site) ingest(t testing.TB, runs int) {
	t.Helper()
	var batch feed.Batch
	for _, run := range s.rest[:runs] {
		for _, r := range run.Records {
			batch.Records = append(batch.Records, feed.Record{Offset: s.next, Key: []byte(r.Key), Value: r.Value, Time: r.Time})
			s.next++
		}
	}
	s.rest = s.rest[runs:]
	end := s.next
	for _, run := range s.rest {
		end += int64(len(run.Records))
	}
	batch.Marks = []feed.Mark{{Next: s.next, HighWatermark: end}}
	if err := s.line.Handle(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// api gives the rows of a question of the API.
func (s *site) api(t testing.TB, path string) []map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		Rows []map[string]any `json:"rows"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, answer.StatusCode, err)
	}
	return body.Rows
}
