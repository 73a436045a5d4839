package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// galleryStates are the states that a gallery shows every page in.
var galleryStates = []struct{ name, about string }{
	{"full", "everything has something to show"},
	{"empty", "nothing was ingested"},
	{"partial", "some of it is missing: models without a price, runs without times, what is too young to tell"},
	{"slow", "the question of loops takes longer than a panel may"},
	{"failed", "the question of loops fails, the others stand"},
	{"down", "no question can be answered"},
	{"low", "too little to judge by"},
	{"hostile", "names and texts that try to mislead or to break the page"},
}

// morePages are those that no list of pages leads to.
var morePages = []ui.Link{
	{Label: "Comparison around a cutover", Href: "/compare?cutover=2026-10-22T12:00:00Z"},
	{Label: "Comparison with a declared split", Href: "/compare?a=bare-v1&b=structured-v2&split=0.5"},
	{Label: "Waiting aliases", Href: "/aliases/waiting"},
	{Label: "Runs by what is in them", Href: "/runs?reason=turn_limit&outcome=refused&finding=no_code&obeyed=false&attempts_min=2"},
	{Label: "Code", Href: "/codes/~invalid_status"},
	{Label: "Run", Href: "/runs/r-1"},
}

// Gallery serves every page in its states.
type Gallery struct {
	*http.ServeMux
	sites []*Server
}

// EndStreams ends the streams of pages that follow.
func (g *Gallery) EndStreams() {
	for _, s := range g.sites {
		s.EndStreams()
	}
}

// NewGallery serves every page in its states from made-up data, without a database.
func NewGallery(access Access, log *slog.Logger) (*Gallery, error) {
	mux := http.NewServeMux()
	all := &Gallery{ServeMux: mux}
	var index view.GalleryPage
	var first *Server
	for _, state := range galleryStates {
		fixture := Fixture{State: state.name}
		s, err := New(Config{
			Questions: fixture, Reviews: fixture, API: http.HandlerFunc(noData), Base: "/" + state.name, Note: state.about,
			Access: access, Log: log, Now: func() time.Time { return fixtureNow },
		})
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = s
		}
		all.sites = append(all.sites, s)
		mux.Handle("/"+state.name+"/", s)
		group := view.GalleryState{Name: state.name, About: state.about}
		for _, p := range s.places() {
			group.Pages = append(group.Pages, ui.Link{Label: p.label, Href: "/" + state.name + p.path})
		}
		for _, more := range morePages {
			group.Pages = append(group.Pages, ui.Link{Label: more.Label, Href: "/" + state.name + more.Href})
		}
		index.States = append(index.States, group)
	}
	mux.Handle("GET /{$}", guarded(access, first.deny, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		frame := ui.Frame{Title: "Gallery", Static: first.assets.addresses(first.cfg.Base), Question: "Every page in every state, from made-up data"}
		if err := first.write(w, r, page{frame: frame, body: templ.Component(view.Gallery(index))}); err != nil {
			first.writeError(w, r, err)
		}
	})))
	return all, nil
}

func noData(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the gallery has pages only; it asks no database", http.StatusNotFound)
}

// Fixture answers questions with made-up data. The zero value has everything to show.
type Fixture struct{ State string }

// fixtureNow is when a fixture is asked.
var fixtureNow = time.Date(2026, 10, 29, 12, 0, 0, 0, time.UTC)

// earlier says whether a question is about a time before the newest call: the gallery's figures were worse then.
func earlier(filters ask.Filters) bool { return !filters.To.IsZero() && filters.To.Before(fixtureNow) }

var errFixture = errors.New("made to fail")

// given makes an answer of rows as the state has them.
func given[T any](f Fixture, question string, filters ask.Filters, rows ...T) (ask.Answer[T], error) {
	if f.State == "down" || f.State == "failed" && question == "loops" {
		return ask.Answer[T]{}, &ask.QueryError{Query: ask.Query{Name: question + ".sql", ID: "errata-made-up"}, Err: errFixture}
	}
	if f.State == "slow" && question == "loops" {
		return ask.Answer[T]{}, &ask.QueryError{Query: ask.Query{Name: question + ".sql", ID: "errata-made-up"}, Err: context.DeadlineExceeded}
	}
	filters.AsOf = fixtureNow
	if !filters.All && filters.To.IsZero() {
		filters.To = fixtureNow
	}
	if !filters.All && filters.From.IsZero() {
		filters.From = filters.To.Add(-cmp.Or(filters.Last, ask.Window))
	}
	return ask.Answer[T]{Filters: filters, AsOf: fixtureNow, Rows: rows}, nil
}

// Health is how far a made-up ingester has come.
func (f Fixture) Health(context.Context) (ask.Answer[ask.Health], error) {
	if f.State == "empty" {
		return given(f, "health", ask.Filters{}, ask.Health{})
	}
	lag, at := int64(3), fixtureNow.Add(-time.Minute)
	return given(f, "health", ask.Filters{}, ask.Health{
		Lag: &lag, AsOf: &at, Records: 1200, Stored: 1198, Rejected: 2, Runs: 400, Calls: 5210, Newest: &at,
		Parts:   []ask.Partition{{Topic: "agent.transcripts", Group: "errata", Next: 1200, End: 1203, Lag: 3, Records: 1200, Rejected: 2, UpdatedAt: &at}},
		Rejects: []ask.Reject{{Topic: "agent.transcripts", Offset: 17, Reason: "not_json", Message: "the record is no JSON", Sample: f.text("{broken"), RejectedAt: at}},
	})
}

// Simulated says that nothing is simulated: the gallery has a notice of its own.
func (f Fixture) Simulated(_ context.Context, filters ask.Filters) (ask.Answer[ask.Simulated], error) {
	return given(f, "simulated", filters, ask.Simulated{Runs: 400})
}

// Decide keeps nothing.
func (f Fixture) Decide(_ context.Context, d review.Decision) (review.Decision, error) {
	if f.State == "low" {
		return d, &review.Error{Code: review.CodeStale, Field: "seen", Message: "meanwhile \"ann\" decided \"rejected\"; look at that decision and decide again",
			Other: &review.Decision{Entry: d.Entry, State: review.StateRejected, Author: "ann", DecidedAt: fixtureNow.Add(-time.Minute)}}
	}
	return d, nil
}

// History is one made-up decision.
func (f Fixture) History(context.Context, int) ([]review.Past, error) {
	if f.State == "down" {
		return nil, errFixture
	}
	if f.State == "empty" {
		return nil, nil
	}
	return []review.Past{{Before: review.StateNew, Newest: true, Decision: review.Decision{
		Entry: review.Entry{Level: "value", Tool: "update_ticket", Field: "/status", Rejected: `"` + f.text("CLOSED") + `"`, Accepted: `"closed"`},
		State: review.StateAccepted, Author: f.text("ann"), Note: f.text("clear"), DecidedAt: fixtureNow.Add(-time.Hour),
	}}}, nil
}

// Import keeps nothing.
func (f Fixture) Import(_ context.Context, table review.Table, _ string) (int, error) {
	return len(table), nil
}

// Cutovers is one named moment.
func (f Fixture) Cutovers(context.Context) ([]review.Cutover, error) {
	if f.State == "down" {
		return nil, errFixture
	}
	return []review.Cutover{{Name: f.text("structured errors"), At: fixtureNow.AddDate(0, 0, -7)}}, nil
}

// text is a text, or one that tries to mislead.
func (f Fixture) text(plain string) string {
	if f.State == "hostile" {
		return "\u202e<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\x07\x1b[2J\u200b=" + strings.Repeat("W", 200) + plain
	}
	return plain
}
