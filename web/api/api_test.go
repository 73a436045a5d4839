package api_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/migrations"
	"errata/pipeline/store"
	"errata/transcript"
	"errata/web/api"
)

var t0 = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

// site is the API on a database of its own.
type site struct {
	http.Handler
	t     *testing.T
	store *store.Store
}

func open(t *testing.T) site {
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
	return site{Handler: handler(t, dsn), t: t, store: s}
}

func handler(t *testing.T, dsn string) http.Handler {
	t.Helper()
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return t0.Add(90 * 24 * time.Hour) }
	settings.Mine = func(r transcript.Run) metrics.Facts { return metrics.Facts{Run: metrics.RunFact{Meta: r.Meta}} }
	db, err := ask.Open(dsn, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return api.New(db, review.New(db.Conn(), settings.Now), slog.New(slog.DiscardHandler))
}

func (s site) send(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "http://dashboard.test"+target, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func (s site) get(target string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.send(http.MethodGet, "/api/v1/"+target, "")
}

// object reads a reply of status 200 as JSON.
func (s site) object(w *httptest.ResponseRecorder) map[string]any {
	s.t.Helper()
	if w.Code != http.StatusOK {
		s.t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var value map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		s.t.Fatalf("%v: %s", err, w.Body)
	}
	return value
}

// refused checks a reply's status and what its error names.
func (s site) refused(w *httptest.ResponseRecorder, status int, code, field string) {
	s.t.Helper()
	var told struct {
		Error struct{ Code, Message, Field string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil {
		s.t.Fatalf("%v: %s", err, w.Body)
	}
	if w.Code != status || told.Error.Code != code || told.Error.Field != field || told.Error.Message == "" {
		s.t.Errorf("status %d, %+v; want %d, %s of %q", w.Code, told.Error, status, code, field)
	}
}

// put stores one run with one error, which was repeated, and a pair.
func (s site) put(id string) {
	s.t.Helper()
	var f metrics.Facts
	f.Run = metrics.RunFact{Meta: transcript.Meta{ID: transcript.RunID(id), Agent: "bot"}, Started: t0, LastActivity: t0, Timed: true}
	f.Calls = []metrics.CallFact{{
		Time: t0, Tool: "=edit", Model: "gpt", Variant: "plain", Outcome: metrics.OutcomeError, Code: "BAD", Folded: "bad", Label: metrics.LabelRepeat, Chain: 1,
	}}
	f.Episodes = []metrics.EpisodeFact{{Time: t0, Tool: "=edit", Code: "bad", Model: "gpt", Variant: "plain", Ending: metrics.EndingRecovered, Attempts: 2, Turns: 3,
		Helpers: []metrics.HelperFact{{Tool: "look", Calls: 1}}}}
	f.Findings = []metrics.FindingFact{{Finding: "no_code", Time: t0, Tool: "=edit", Code: "bad"}}
	f.Pairs = []metrics.PairFact{{Level: metrics.LevelValue, Tool: "=edit", Code: "bad", Field: "/a", Rejected: `"x"`, Accepted: `"y"`, Kind: "alias", Time: t0}}
	meta := f.Run.Meta
	row, err := meta.Row(t0)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.store.Write(s.t.Context(), []transcript.Row{row}, []store.Run{{Version: 1, Facts: f}}); err != nil {
		s.t.Fatal(err)
	}
}

// The names of the contract: every field of every question is in a row.
func TestFieldsOfTheContract(t *testing.T) {
	s := open(t)
	for _, id := range []string{"a", "b", "c"} {
		s.put(id)
	}
	f := func(name, fields string) {
		t.Helper()
		w := s.get(name)
		reply := s.object(w)
		rows, ok := reply["rows"].([]any)
		if !ok || len(rows) == 0 || reply["as_of"] == nil || reply["filters"] == nil {
			t.Fatalf("%s: %s", name, w.Body)
		}
		row := rows[0].(map[string]any)
		for _, field := range strings.FieldsFunc(fields, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
			if _, ok := row[field]; !ok {
				t.Errorf("%s: no field %s in %s", name, field, w.Body)
			}
		}
		question, _, _ := strings.Cut(name, "?")
		if got := w.Header().Get(api.HeaderQuery); got != question+".sql" {
			t.Errorf("%s: the query is called %q", name, got)
		}
		if question != "cutovers" && w.Header().Get(api.HeaderQueryID) == "" {
			t.Errorf("%s: the query has no id", name)
		}
	}
	f("loops", `by, runs, calls, errored, refused, cancelled, pending, labelled, maturing, repeat, corrected, switched, replied, user,
		ended, futile, sanctioned, loop_rate, loop_rate_low, loop_rate_high, loops, longest_chain, runs_with_error, runs_with_loop,
		idle_repeats, stuck_streaks, cycles`)
	f("recovery", `by, episodes, maturing, recovered, recovered_with_user, abandoned, open, reasons, attempts, turns, le3, f4_7, ge8,
		with_user, never, unknown, attempts_p50, attempts_p90, attempts_p95, attempts_p99, turns_p50, turns_p90, turns_p95, turns_p99,
		incidence`)
	f("cost", `by, errors, recovery_turns, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, tokens, body_tokens, usd,
		seconds, estimated_share, monthly_tokens, monthly_usd`)
	f("aliases", `level, tool, field, rejected, accepted, kind, inferred, episodes, runs, rivals, agreement_low, first_seen, last_seen,
		example_runs, state`)
	f("runs", `run_id, agent, model, variant, started_at, turns, calls, errored, loops, episodes, abandoned, tokens, usd, end_reason`)
	f("errors", `code, template, tool, schema, count, runs, first_seen, last_seen, example_run`)
	f("findings", `finding, count, runs, example_run`)
	f("next_actions", `repeat, corrected, switched, replied, user, ended, repeat_share, corrected_share, switched_share, replied_share,
		user_share, ended_share, obeyed, disobeyed, honoured, not_honoured, stop_base_share, retry_base_share`)
	f("coupling", `tool, code, helper, episodes, share, tokens, value_from_helper, named_by_error`)
	f("waste", `serial_faults, collateral_changed, collateral_rejected, body_tokens_per_error, recovery_tokens_per_error`)
	f("health", `lag, as_of, records, stored, rejected, rejects`)
	f("run?id=a", `run_id, threads, episodes`)
}

func TestFiltersComeBack(t *testing.T) {
	s := open(t)
	s.put("a")
	reply := s.object(s.get("loops?tool=%3Dedit&tool=b&code=BAD&by=tool,day&as_of=2026-10-02T01:00:00%2B01:00&from=2026-09-01T00:00:00Z"))
	want := `{"agent":[],"all":false,"by":["tool","day"],"code":["bad"],"from":"2026-09-01T00:00:00Z","model":[],"to":"2026-10-01T00:00:00.001Z","tool":["=edit","b"],"variant":[]}`
	if got, _ := json.Marshal(reply["filters"]); string(got) != want {
		t.Errorf("filters %s\nwant    %s", got, want)
	}
	if reply["as_of"] != "2026-10-02T00:00:00Z" {
		t.Errorf("as_of %v", reply["as_of"])
	}
	row := reply["rows"].([]any)[0].(map[string]any)
	if got, _ := json.Marshal(row["by"]); string(got) != `{"day":"2026-10-01","tool":"=edit"}` || row["calls"] != nil || row["errored"] != 1. {
		t.Errorf("row %v", row)
	}
	all := s.object(s.get("loops?all=1"))["filters"].(map[string]any)
	if all["from"] != nil || all["to"] != nil || all["all"] != true {
		t.Errorf("all time: %v", all)
	}
}

func TestRefusals(t *testing.T) {
	s := open(t)
	f := func(target string, status int, code, field string) {
		t.Helper()
		s.refused(s.get(target), status, code, field)
	}
	f("loops?colour=red", 400, "unknown_parameter", "colour")
	f("loops?label=repeat", 400, "unknown_parameter", "label")
	f("health?tool=a", 400, "unknown_parameter", "tool")
	f("loops?from=yesterday", 400, "invalid_parameter", "from")
	f("loops?from=", 400, "invalid_parameter", "from")
	f("loops?to=2026-10-01T00:00:00Z&to=2026-10-01T00:00:00Z", 400, "invalid_parameter", "to")
	f("loops?from=2026-10-02T00:00:00Z&to=2026-10-01T00:00:00Z", 400, "invalid_parameter", "to")
	f("loops?all=2", 400, "invalid_parameter", "all")
	f("loops?all=1&from=2026-10-02T00:00:00Z", 400, "invalid_parameter", "from")
	f("loops?by=colour", 400, "invalid_parameter", "by")
	f("loops?by=tool,", 400, "invalid_parameter", "by")
	f("loops?tool="+strings.Repeat("a", 2000), 400, "invalid_parameter", "tool")
	f("loops?"+strings.Repeat("tool=a&", 101), 400, "invalid_parameter", "tool")
	f("loops?tool=%zz", 400, "invalid_parameter", "")
	f("aliases?min_runs=few", 400, "invalid_parameter", "min_runs")
	f("aliases?min_runs=-1", 400, "invalid_parameter", "min_runs")
	f("aliases?state=x", 400, "invalid_parameter", "state")
	f("aliases?by=tool", 400, "invalid_parameter", "by")
	f("aliases/export?format=xml", 400, "invalid_parameter", "format")
	f("runs?limit=100000", 400, "invalid_parameter", "limit")
	f("runs?sort=colour", 400, "invalid_parameter", "sort")
	f("run", 400, "invalid_parameter", "id")
	f("run?id=none", 404, "not_found", "id")
	f("nothing", 404, "not_found", "")
	f("sql/nothing.sql", 404, "not_found", "")
	s.refused(s.send(http.MethodPost, "/api/v1/loops", ""), 405, "method_not_allowed", "")
	s.refused(s.send(http.MethodDelete, "/api/v1/cutovers", ""), 405, "method_not_allowed", "")
}

func TestCSV(t *testing.T) {
	s := open(t)
	s.put("a")
	w := s.get("recovery.csv?by=tool")
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="errata-recovery-2026-09-03-2026-10-01.csv"` {
		t.Errorf("saved as %s", got)
	}
	rows, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v, %v", rows, err)
	}
	cells := map[string]string{}
	for i, name := range rows[0] {
		cells[name] = rows[1][i]
	}
	for name, want := range map[string]string{
		"tool": "'=edit", "episodes": "1", "attempts": `{"2":1}`, "le3": "1", "le3_low": "", "attempts_p50": "", "reasons": "{}",
	} {
		if cells[name] != want {
			t.Errorf("%s is %q, want %q", name, cells[name], want)
		}
	}
	for _, name := range []string{"loops", "cost", "aliases", "runs", "health", "cutovers"} {
		w := s.get(name + ".csv")
		if rows, err := csv.NewReader(w.Body).ReadAll(); err != nil || len(rows) == 0 || w.Code != 200 {
			t.Errorf("%s: status %d, %v, %v", name, w.Code, rows, err)
		}
		if s.get(name+".json").Code != 200 {
			t.Errorf("%s.json is not there", name)
		}
	}
}

func TestQueriesAreShown(t *testing.T) {
	s := open(t)
	w := s.get("loops?tool=" + "%E6%97%A5%F0%9F%98%80")
	var parameters map[string]string
	header := w.Header().Get(api.HeaderQueryParameters)
	if err := json.Unmarshal([]byte(header), &parameters); err != nil || parameters["tool"] != "['日😀']" {
		t.Errorf("%s: %v", header, err)
	}
	shown := s.get("sql/" + w.Header().Get(api.HeaderQuery))
	if text, _ := ask.SQL("loops.sql"); shown.Code != 200 || strings.TrimSpace(shown.Body.String()) != strings.TrimSpace(text) {
		t.Errorf("status %d: %s", shown.Code, shown.Body)
	}
	if s.get("sql/cutovers.sql").Code != 200 {
		t.Error("the queries of reviews are not shown")
	}
}

func TestReviews(t *testing.T) {
	s := open(t)
	for _, id := range []string{"a", "b", "c"} {
		s.put(id)
	}
	decide := func(body string, headers ...string) *httptest.ResponseRecorder {
		return s.send(http.MethodPost, "/api/v1/aliases/decision", body, headers...)
	}
	const accept = `{"level":"value","tool":"=edit","field":"/a","rejected":"\"x\"","accepted":"\"y\"","state":"accepted","note":"yes","author":"ann"}`
	s.refused(decide(accept, "Sec-Fetch-Site", "cross-site"), 403, "cross_origin", "")
	s.refused(decide(accept, "Origin", "https://elsewhere.test"), 403, "cross_origin", "")
	s.refused(decide(`{"level":"value"}`), 400, "invalid_field", "tool")
	s.refused(decide(`{"colour":"red"}`), 400, "invalid_body", "")
	s.refused(decide(`[]`), 400, "invalid_body", "")
	s.refused(decide(accept+"{}"), 400, "invalid_body", "")
	s.refused(decide(strings.Repeat(" ", 70_000)), 413, "body_too_large", "")
	if taken := s.object(decide(accept, "Origin", "http://dashboard.test")); taken["decided_at"] == nil {
		t.Errorf("taken: %v", taken)
	}
	row := s.object(s.get("aliases"))["rows"].([]any)[0].(map[string]any)
	if row["state"] != "accepted" || row["note"] != "yes" || row["author"] != "ann" {
		t.Errorf("row %v", row)
	}
	for _, format := range []string{"json", "csv", "go"} {
		w := s.get("aliases/export?format=" + format)
		if w.Code != 200 || !strings.Contains(w.Header().Get("Content-Disposition"), "aliases."+format) {
			t.Errorf("%s: status %d, %v", format, w.Code, w.Header())
		}
		other := open(t)
		for _, id := range []string{"a", "b", "c"} {
			other.put(id)
		}
		read := other.object(other.send(http.MethodPost, "/api/v1/aliases/import", w.Body.String()))
		if read["imported"] != 1. {
			t.Errorf("%s: %v", format, read)
		}
		if rows := other.object(other.get("aliases"))["rows"].([]any); len(rows) != 0 {
			t.Errorf("%s: what the table covers is shown again: %v", format, rows)
		}
		if again := other.get("aliases/export?format=" + format); !bytes.Equal(again.Body.Bytes(), s.get("aliases/export?format="+format).Body.Bytes()) {
			t.Errorf("%s: what was read back leaves as\n%s", format, again.Body)
		}
	}
	s.refused(s.send(http.MethodPost, "/api/v1/aliases/import", "nonsense"), 400, "invalid_field", "")
}

func TestCutovers(t *testing.T) {
	s := open(t)
	mark := func(body string) *httptest.ResponseRecorder { return s.send(http.MethodPost, "/api/v1/cutovers", body) }
	s.object(mark(`{"name":"v2","at":"2026-10-01T12:00:00+02:00","note":"new errors","author":"ann"}`))
	row := s.object(s.get("cutovers"))["rows"].([]any)[0].(map[string]any)
	if row["name"] != "v2" || row["at"] != "2026-10-01T10:00:00Z" || row["note"] != "new errors" {
		t.Errorf("row %v", row)
	}
	s.refused(mark(`{"name":"v2"}`), 400, "invalid_field", "at")
	s.refused(mark(`{"name":"v2","at":"noon"}`), 400, "invalid_body", "")
	s.object(mark(`{"name":"v2","deleted":true}`))
	if rows := s.object(s.get("cutovers"))["rows"].([]any); len(rows) != 0 {
		t.Errorf("rows %v", rows)
	}
}

// A database that is not there, or has no tables yet, is said to be so.
func TestDatabaseAway(t *testing.T) {
	away := site{Handler: handler(t, "http://default@127.0.0.1:1/errata"), t: t}
	away.refused(away.get("loops"), 503, "database_unavailable", "")
	empty := site{Handler: handler(t, devtest.ClickHouse(t)), t: t}
	empty.refused(empty.get("loops"), 503, "no_tables", "")
	if got := empty.get("loops").Header().Get(api.HeaderQuery); got != "span.sql" {
		t.Errorf("the query that failed is called %q", got)
	}
}

// A stretch of time up to the newest call, whose moment is left to the database.
func TestLast(t *testing.T) {
	s := open(t)
	s.put("a")
	filters := s.object(s.get("loops?last=36h"))["filters"].(map[string]any)
	if filters["from"] != "2026-09-29T12:00:00.001Z" || filters["to"] != "2026-10-01T00:00:00.001Z" {
		t.Errorf("filters %v", filters)
	}
	for _, target := range []string{"last=", "last=7", "last=d", "last=0d", "last=-1d", "last=7y", "last=99999999w", "last=7d&all=1", "last=7d&from=2026-10-01T00:00:00Z"} {
		s.refused(s.get("loops?"+target), 400, "invalid_parameter", "last")
	}
}
