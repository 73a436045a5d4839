package endtoend_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"errata/internal/simulate"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web"
	"errata/web/api"
	"errata/web/ui"
)

// site is the dashboard on simulated runs.
type site struct {
	http.Handler
	t *testing.T
}

// pages serves the dashboard on what a database holds.
func pages(t *testing.T, db *ask.DB) site {
	t.Helper()
	reviews := review.New(db.Conn(), time.Now)
	log := slog.New(slog.DiscardHandler)
	handler, err := web.New(web.Config{Questions: db, Reviews: reviews, API: api.New(db, reviews, log), Log: log, Now: time.Now, PanelTimeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return site{handler, t}
}

// answer is a row of the API.
type answer map[string]any

func (s site) get(target string) string {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://127.0.0.1"+target, http.NoBody))
	if w.Code != http.StatusOK {
		s.t.Fatalf("%s: status %d: %.300s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

// asked are the rows of the API for a question.
func (s site) asked(question string) []answer {
	s.t.Helper()
	var reply struct{ Rows []answer }
	if err := json.Unmarshal([]byte(s.get("/api/v1/"+question)), &reply); err != nil {
		s.t.Fatal(err)
	}
	return reply.Rows
}

// shown is a page, to be looked into.
type shown struct {
	t    *testing.T
	name string
	root *html.Node
}

func (s site) page(target string) shown {
	s.t.Helper()
	root, err := html.Parse(strings.NewReader(s.get(target)))
	if err != nil {
		s.t.Fatal(err)
	}
	return shown{s.t, target, root}
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode && d.NextSibling != nil && d.NextSibling.Data == "wbr":
			text.WriteString(d.Data) // one word, which may break here
		case d.Type == html.TextNode:
			text.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// figure is what stands in a panel under a label.
func (p shown) figure(panel, label string) string {
	p.t.Helper()
	for _, n := range cascadia.QueryAll(p.root, cascadia.MustCompile("#"+panel+" .figure")) {
		head := cascadia.Query(n, cascadia.MustCompile("dt"))
		if name, _, _ := strings.Cut(textOf(head), " ?"); name == label {
			return textOf(cascadia.Query(n, cascadia.MustCompile(".value")))
		}
	}
	p.t.Errorf("%s: #%s has no figure %q", p.name, panel, label)
	return ""
}

func (p shown) is(panel, label, want string) {
	p.t.Helper()
	if got := p.figure(panel, label); got != want {
		p.t.Errorf("%s: %s is %q, the API says %q", p.name, label, got, want)
	}
}

// cells are those of a table, row by row.
func (p shown) cells(table string) [][]string {
	var rows [][]string
	for _, tr := range cascadia.QueryAll(p.root, cascadia.MustCompile("#"+table+" tbody tr")) {
		var row []string
		for _, cell := range cascadia.QueryAll(tr, cascadia.MustCompile("th, td")) {
			row = append(row, textOf(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// column is what a cell of a table says of a row of the API.
type column struct {
	at   int
	text func(answer) string
}

// rows wants for every row of the API one of the table, headed by its name, with the same figures.
func (p shown) rows(table string, rows []answer, name func(answer) string, columns ...column) {
	p.t.Helper()
	cells := p.cells(table)
	if len(cells) == 0 || len(cells) != len(rows) {
		p.t.Errorf("%s: %s has %d rows, the API %d", p.name, table, len(cells), len(rows))
	}
	byName := map[string][]string{}
	for _, row := range cells {
		byName[row[0]] = row
	}
	for _, r := range rows {
		row, ok := byName[name(r)]
		if !ok {
			p.t.Errorf("%s: %s has no row %q", p.name, table, name(r))
			continue
		}
		for _, c := range columns {
			if want := c.text(r); row[c.at] != want && !strings.HasPrefix(row[c.at], want+" ") {
				p.t.Errorf("%s: %s, %s: column %d is %q, the API says %q", p.name, table, row[0], c.at, row[c.at], want)
			}
		}
	}
}

func number(r answer, name string) *float64 {
	v, ok := r[name].(float64)
	if !ok {
		return nil
	}
	return &v
}

func count(name string) func(answer) string {
	return func(r answer) string {
		v := number(r, name)
		if v == nil {
			return ui.Unknown
		}
		return ui.Count(int64(*v))
	}
}

func percent(name string) func(answer) string {
	return func(r answer) string { return ui.Percent(number(r, name)) }
}

func short(name string) func(answer) string {
	return func(r answer) string { return ui.ShortOf(number(r, name)) }
}

func money(name string) func(answer) string {
	return func(r answer) string { return ui.Money(number(r, name)) }
}

func word(name string) func(answer) string {
	return func(r answer) string { return orNone(fmt.Sprint(r[name])) }
}

func by(dimension string) func(answer) string {
	return func(r answer) string { return orNone(r["by"].(map[string]any)[dimension].(string)) }
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}

// The figures of every page are those of the API for the same address.
func TestPagesSayWhatTheAPISays(t *testing.T) {
	cfg := simulate.Small()
	db, _ := stored(t, cfg)
	s := pages(t, db)
	asOf := url.QueryEscape(cfg.End().Add(48 * time.Hour).Format(time.RFC3339))
	for _, filters := range []string{"all=1&as_of=" + asOf, "all=1&agent=support-bot&as_of=" + asOf} {
		s.overview(filters)
		s.loops(filters)
		s.recovery(filters)
		s.codes(filters)
		s.aliases(filters)
		s.shadow(filters)
		s.compare("a=" + cfg.Before + "&b=" + cfg.After + "&" + filters)
		s.runs(filters)
	}
	s.health()
}

func (s site) overview(filters string) {
	p := s.page("/?" + filters)
	loops, recovery, cost := s.asked("loops?" + filters)[0], s.asked("recovery?" + filters)[0], s.asked("cost?" + filters)[0]
	p.is("now", "Calls", count("calls")(loops))
	p.is("now", "Failed calls", percent("error_share")(loops))
	p.is("now", "Loop rate", percent("loop_rate")(loops))
	p.is("now", "Median attempts to recover", fmt.Sprint(recovery["attempts_p50"]))
	p.is("now", "Tokens spent on recovery", short("tokens")(cost))
	s.page("/aliases/waiting?"+filters).is("waiting", "Alias candidates", fmt.Sprint(len(s.asked("aliases?state=new&"+filters))))
	p.rows("trend-table", s.asked("loops?by=day&"+filters), by("day"), column{1, count("errored")}, column{2, count("repeat")}, column{3, percent("loop_rate")})
}

func (s site) loops(filters string) {
	p := s.page("/loops?" + filters)
	all := s.asked("loops?" + filters)[0]
	for label, name := range map[string]string{"Futile repeats": "futile", "Sanctioned repeats": "sanctioned", "Longest chain": "longest_chain", "Maturing": "maturing"} {
		p.is("total", label, count(name)(all))
	}
	for label, name := range map[string]string{"Idle repeats": "idle_repeats", "Stuck streaks": "stuck_streaks", "Cycles": "cycles", "Refused calls": "refused", "Cancelled calls": "cancelled", "Pending calls": "pending"} {
		p.is("other", label, count(name)(all))
	}
	p.is("total", "Loop rate", percent("loop_rate")(all))
	for i, name := range []string{"repeat", "corrected", "switched", "replied", "user", "ended"} {
		if got := p.cells("next-table")[i][1]; got != count(name)(all) {
			s.t.Errorf("%s: %s is %q, the API says %q", p.name, name, got, count(name)(all))
		}
	}
	for _, d := range []string{"tool", "code", "variant"} {
		p.rows("table-"+d, s.asked("loops?by="+d+"&"+filters), by(d), column{1, count("errored")}, column{2, count("repeat")}, column{3, percent("loop_rate")}, column{5, count("runs_with_error")})
	}
}

func (s site) recovery(filters string) {
	p := s.page("/recovery?" + filters)
	all := s.asked("recovery?" + filters)[0]
	for label, name := range map[string]string{"Within 3 attempts": "le3", "In 4 to 7": "f4_7", "In 8 or more": "ge8", "With a user's help": "with_user", "Never": "never", "Not yet known": "unknown"} {
		p.is("shares", label, percent(name)(all))
	}
	days := s.asked("recovery?by=day&" + filters)
	p.rows("never-trend-table", days, by("day"), column{1, count("episodes")}, column{2, count("abandoned")}, column{3, percent("never")})
	p.rows("within3-trend-table", days, by("day"), column{1, count("episodes")}, column{3, percent("le3")})
	for _, d := range []string{"tool", "code"} {
		p.rows("recovery-"+d, s.asked("recovery?by="+d+"&"+filters), by(d), column{1, count("episodes")}, column{2, percent("le3")}, column{7, percent("never")})
	}
}

func (s site) codes(filters string) {
	p := s.page("/codes?" + filters)
	all, rows := s.asked("cost?" + filters)[0], s.asked("cost?by=code&"+filters)
	p.is("total", "Recovery tokens", short("tokens")(all))
	p.is("total", "Money", money("usd")(all))
	p.is("total", "Error bodies", short("body_tokens")(all))
	p.is("total", "A month at this pace", short("monthly_tokens")(all))
	p.rows("trend-table", s.asked("cost?by=day&"+filters), by("day"), column{1, count("errors")}, column{2, short("tokens")}, column{3, short("tokens_per_error")}, column{4, money("usd")})
	p.rows("code-table", rows, by("code"), column{1, count("errors")}, column{2, count("runs")}, column{5, count("recovery_turns")}, column{6, short("tokens")}, column{8, short("body_tokens")}, column{9, money("usd")})
	for _, row := range rows[:min(3, len(rows))] {
		s.code(by("code")(row), filters)
	}
}

func (s site) code(code, filters string) {
	p := s.page("/codes/" + url.PathEscape(code) + "?" + filters)
	filters += "&code=" + url.QueryEscape(code)
	cost, loops, recovery, waste := s.asked("cost?" + filters)[0], s.asked("loops?" + filters)[0], s.asked("recovery?" + filters)[0], s.asked("waste?" + filters)[0]
	p.is("total", "Errors", count("errors")(cost))
	p.is("total", "Loop rate", percent("loop_rate")(loops))
	p.is("total", "Never recovered", percent("never")(recovery))
	p.is("total", "Recovery tokens", short("tokens")(cost))
	p.is("waste", "Serial faults", count("serial_faults")(waste))
	p.is("waste", "Body tokens per error", short("body_tokens_per_error")(waste))
	kinds := s.asked("errors?" + filters)
	if got := p.cells("kind-table"); len(got) != len(kinds) || got[0][3] != count("count")(kinds[0]) {
		s.t.Errorf("%s: %d kinds of which the first %q, the API has %d", p.name, len(got), got[0], len(kinds))
	}
	next := s.asked("next_actions?" + filters)[0]
	for i, name := range []string{"repeat", "corrected", "switched", "replied", "user", "ended"} {
		if row := p.cells("next-table")[i]; row[1] != count(name)(next) || row[2] != percent(name+"_share")(next) {
			s.t.Errorf("%s: %s is %q, the API says %v", p.name, name, row, next[name])
		}
	}
	if n, got := len(s.asked("findings?"+filters)), len(p.cells("finding-table")); got != n {
		s.t.Errorf("%s: %d findings, the API has %d", p.name, got, n)
	}
	if n, got := len(s.asked("coupling?"+filters)), len(p.cells("coupling-table")); got != n {
		s.t.Errorf("%s: %d helpers, the API has %d", p.name, got, n)
	}
	if n, got := len(s.asked("aliases?"+filters)), len(p.cells("alias-table")); got != min(n, 50) {
		s.t.Errorf("%s: %d candidates, the API has %d", p.name, got, n)
	}
}

func (s site) aliases(filters string) {
	p := s.page("/aliases?" + filters)
	rows := s.asked("aliases?" + filters)
	if got := len(cascadia.QueryAll(p.root, cascadia.MustCompile("article.candidate"))); got != min(len(rows), 100) && got != len(rows) {
		s.t.Errorf("%s: %d candidates, the API has %d", p.name, got, len(rows))
	}
}

func (s site) shadow(filters string) {
	p := s.page("/shadow?" + filters)
	rows := s.asked("shadow?" + filters)
	sum := 0.0
	for _, r := range rows {
		sum += *number(r, "count")
	}
	p.is("total", "Shadowed results", ui.Count(int64(sum)))
	agreement := s.asked("shadow_agreement?" + filters)[0]
	p.is("agreement", "They agree", percent("agreement")(agreement))
	if cells := p.cells("agreement-table"); !strings.HasPrefix(cells[0][1], count("both_errors")(agreement)+" ") || !strings.HasPrefix(cells[1][1], count("newly")(agreement)+" ") {
		s.t.Errorf("%s: the crossed judgements are %q, the API says %v", p.name, cells, agreement)
	}
	for i, row := range p.cells("shadow-table") {
		if row[2] != count("count")(rows[i]) || row[3] != count("runs")(rows[i]) || row[4] != count("error_disagrees")(rows[i]) {
			s.t.Errorf("%s: row %d is %q, the API says %v", p.name, i, row, rows[i])
		}
	}
}

func (s site) compare(parameters string) {
	p := s.page("/compare?" + parameters)
	rows, cells := s.asked("compare?"+parameters), p.cells("compare-table")
	if len(rows) != len(cells) || len(rows) == 0 {
		s.t.Fatalf("%s: %d rows, the API has %d", p.name, len(cells), len(rows))
	}
	for i, r := range rows {
		if r["unit"] == "share" && !strings.HasPrefix(cells[i][2], percent("a")(r)) || r["unit"] == "share" && !strings.HasPrefix(cells[i][3], percent("b")(r)) {
			s.t.Errorf("%s: %s is %q, the API says %v and %v", p.name, r["metric"], cells[i], r["a"], r["b"])
		}
		if v, judged := r["verdict"].(string); judged && !strings.HasPrefix(cells[i][1], v) {
			s.t.Errorf("%s: %s is %q, the API says %q", p.name, r["metric"], cells[i][1], v)
		}
	}
}

func (s site) runs(filters string) {
	p := s.page("/runs?sort=-errored&" + filters)
	rows := s.asked("runs?sort=-errored&" + filters)
	cells := p.cells("run-table")
	if len(cells) != len(rows) || len(rows) == 0 {
		s.t.Fatalf("%s: %d runs, the API has %d", p.name, len(cells), len(rows))
	}
	for i, r := range rows {
		if !strings.HasPrefix(cells[i][0], word("run_id")(r)) || cells[i][4] != count("calls")(r) || cells[i][5] != count("errored")(r) || cells[i][10] != short("tokens")(r) {
			s.t.Errorf("%s: run %d is %q, the API says %v", p.name, i, cells[i], r)
		}
	}
	s.run(word("run_id")(rows[0]), filters)
}

func (s site) run(id, filters string) {
	values, _ := url.ParseQuery(filters)
	asOf := "as_of=" + url.QueryEscape(values.Get("as_of"))
	p := s.page("/runs/" + url.PathEscape(id) + "?" + asOf)
	run := s.asked("run?id=" + url.QueryEscape(id) + "&" + asOf)[0]
	if got, want := len(p.cells("episode-table")), len(run["episodes"].([]any)); got != want {
		s.t.Errorf("%s: %d episodes, the API has %d", p.name, got, want)
	}
	calls := 0
	for _, thread := range run["threads"].([]any) {
		for _, turn := range thread.(map[string]any)["turns"].([]any) {
			calls += len(turn.(map[string]any)["calls"].([]any))
		}
	}
	if got := len(cascadia.QueryAll(p.root, cascadia.MustCompile("article.call"))); got != calls {
		s.t.Errorf("%s: %d calls, the API has %d", p.name, got, calls)
	}
}

func (s site) health() {
	p := s.page("/health")
	h := s.asked("health")[0]
	p.is("total", "Records read", count("records")(h))
	p.is("total", "Rejected", count("rejected")(h))
	p.is("total", "Runs", count("runs")(h))
}
