package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/api"
	"errata/web/ui"
	"errata/web/view"
)

// authorCookie remembers who decides where nobody logs in.
const authorCookie = "errata_author"

// mostCandidates is how many candidates one page shows.
const mostCandidates = 100

func (s *Server) aliases(q *request) (page, error) {
	state := q.params.Texts("state")
	f := ask.AliasFilters{Filters: q.filters, MinRuns: q.params.Number("min_runs"), Kind: q.params.Texts("kind"), Level: q.params.Texts("level"), State: state}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	list := put(a, "aliases", func(ctx context.Context) (ask.Answer[ask.Alias], error) { return s.cfg.Questions.Aliases(ctx, f) })
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = "Alias candidates", "Which wrong names do agents guess again and again, and should they be accepted?"
	p.frame.Filters = q.aliasFilterBar(a.settled)
	p.body = view.Aliases(view.AliasesPage{
		List: q.candidates(a, list), Import: s.cfg.Base + "/aliases/import", States: q.states(state), Candidates: q.candidateList(list.Rows),
		Author: q.author(), LoggedIn: viewer(q.Context()) != "",
		Exports: []ui.Link{{Label: "JSON", Href: q.apiAddress("aliases/export", "format", "json")}, {Label: "CSV", Href: q.apiAddress("aliases/export", "format", "csv")},
			{Label: "Go", Href: q.apiAddress("aliases/export", "format", "go")}},
	})
	return p, nil
}

func (q *request) aliasFilterBar(settled ask.Filters) *ui.FilterBar {
	b := q.filterBar(settled)
	given := q.URL.Query()
	for _, name := range []string{"kind", "level", "state"} {
		for _, v := range given[name] {
			b.Hidden = append(b.Hidden, ui.HiddenField{Name: name, Value: v})
			b.Chips = append(b.Chips, ui.Chip{Label: name + " = " + ui.Visible(v), Remove: q.without(name, v)})
		}
	}
	b.Fields = append(b.Fields, ui.FilterField{Name: "min_runs", Label: "In at least so many runs", Type: "number", Hint: "as the rules say", Value: given.Get("min_runs")})
	b.Selects = []ui.SelectField{
		{Name: "level", Label: "What is named", Options: []ui.Option{{Label: "any"}, {Value: "value", Label: "values"}, {Value: "parameter", Label: "parameters"}, {Value: "tool", Label: "tools"}}},
		{Name: "kind", Label: "Kind", Options: []ui.Option{{Label: "any"}, {Value: "case", Label: "case"}, {Value: "format", Label: "format"}, {Value: "typo", Label: "typo"}, {Value: "alias", Label: "alias"}}},
	}
	if len(b.Chips) > 0 {
		b.Clear = q.URL.Path
	}
	return b
}

// states lead to the candidates in one state.
func (q *request) states(now []string) []ui.NavLink {
	links := []ui.NavLink{{Label: "All", Href: q.same("state", ""), Here: len(now) == 0}}
	for _, state := range []string{review.StateNew, review.StateAccepted, review.StateRejected} {
		links = append(links, ui.NavLink{Label: strings.ToUpper(state[:1]) + state[1:], Href: q.same("state", state), Here: len(now) == 1 && now[0] == state})
	}
	return links
}

func (q *request) candidates(a *asking, list *reply[ask.Alias]) view.Section {
	s := q.sectioned(a, list.err, ui.Panel{ID: "list", Title: "Candidates",
		Definition: "A name that was rejected, and the one in its place when the episode recovered. Open-ended fields and what looks like an address, a number of a person, a token or a key are held back."})
	if list.ok() && len(list.Rows) == 0 {
		s.Empty = q.nothing("candidates")
	}
	if len(list.Rows) > mostCandidates {
		s.Definition += fmt.Sprintf(" Shown are the first %d of %s.", mostCandidates, ui.Count(int64(len(list.Rows))))
	}
	return s
}

func (q *request) candidateList(rows []ask.Alias) []view.Candidate {
	var all []view.Candidate
	for i, r := range rows[:min(len(rows), mostCandidates)] {
		c := view.Candidate{
			ID: fmt.Sprintf("candidate-%d", i+1), Level: r.Level, Where: ui.Visible(r.Tool), Kind: r.Kind, Inferred: r.Inferred,
			Rejected: ui.Visible(r.Rejected), Accepted: ui.Visible(r.Accepted), Folded: r.Rejected == review.AnyCase,
			Support:   ui.Plural(r.Runs, "run", "runs") + ", " + ui.Plural(r.Episodes, "episode", "episodes"),
			Agreement: "at least " + ui.Percent(r.AgreementLow) + " of runs agree (" + ui.Of(r.Agreeing, r.Voters) + ")",
			Seen:      ui.Minute(r.FirstSeen) + " to " + ui.Minute(r.LastSeen) + " UTC", State: r.State, Note: ui.Visible(r.Note),
			Action: q.s.cfg.Base + "/aliases/decision", Back: q.URL.RequestURI(),
			Fields: []ui.HiddenField{{Name: "level", Value: r.Level}, {Name: "tool", Value: r.Tool}, {Name: "field", Value: r.Field},
				{Name: "rejected", Value: r.Rejected}, {Name: "accepted", Value: r.Accepted}, {Name: "seen", Value: seen(r.DecidedAt)}},
		}
		if r.Field != "" {
			c.Where += " " + ui.Visible(r.Field)
		}
		if c.Folded {
			c.Support += ", " + ui.Plural(r.Folded, "pair", "pairs")
		}
		if r.Rivals > 0 {
			c.Rivals = ui.Plural(r.Rivals, "other name was accepted", "other names were accepted") + " for it"
		}
		if r.DecidedAt != nil {
			c.Decided = r.State + " " + ui.Moment(*r.DecidedAt) + by(r.Author)
		}
		for _, run := range r.ExampleRuns {
			c.Examples = append(c.Examples, ui.Link{Label: ui.Visible(run), Href: q.runAddress(run)})
		}
		all = append(all, c)
	}
	return all
}

func by(author string) string {
	if author == "" {
		return ""
	}
	return " by " + ui.Visible(author)
}

// seen is the time of the decision that a reviewer sees; zero where there is none.
func seen(at *time.Time) string {
	if at == nil {
		return time.Time{}.Format(time.RFC3339Nano)
	}
	return at.Format(time.RFC3339Nano)
}

// author is who decides: who logged in, else who decided last in this browser.
func (q *request) author() string {
	if who := viewer(q.Context()); who != "" {
		return who
	}
	if c, err := q.Cookie(authorCookie); err == nil {
		name, err := url.QueryUnescape(c.Value)
		if err == nil {
			return ui.Visible(name)
		}
	}
	return ""
}

// Bounds of what forms may send.
const (
	maxForm   = 256 << 10
	maxImport = 8 << 20
)

// decide records a decision that a form sends, and goes back to where it was sent from.
func (s *Server) decide(q *request) (page, error) {
	q.Body = http.MaxBytesReader(nil, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	form := q.PostForm
	d := review.Decision{
		Entry: review.Entry{Level: form.Get("level"), Tool: form.Get("tool"), Field: form.Get("field"), Rejected: form.Get("rejected"), Accepted: form.Get("accepted")},
		State: form.Get("state"), Note: form.Get("note"), Author: form.Get("author"),
	}
	if who := viewer(q.Context()); who != "" {
		d.Author = who
	}
	if text := form.Get("seen"); text != "" {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return page{}, &api.Error{Status: http.StatusBadRequest, Code: "invalid_field", Field: "seen", Message: "seen must be the moment of the decision that was shown"}
		}
		d.Seen = &at
	}
	if _, err := s.cfg.Reviews.Decide(q.Context(), d); err != nil {
		return page{}, err
	}
	return page{to: s.back(form.Get("back")), cookie: authored(d.Author)}, nil
}

// back is where a form was sent from, where that is a page of the candidates.
func (s *Server) back(to string) string {
	here := s.cfg.Base + "/aliases"
	if to == here || strings.HasPrefix(to, here+"?") {
		return to
	}
	return here
}

func authored(author string) *http.Cookie {
	const year = 365 * 24 * 3600
	if author == "" || len(author) > 200 {
		return nil
	}
	return &http.Cookie{Name: authorCookie, Value: url.QueryEscape(author), Path: "/", MaxAge: year, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

func badForm(err error) error {
	return &api.Error{Status: http.StatusBadRequest, Code: "invalid_body", Message: "the form cannot be read: " + err.Error()}
}

// importAliases accepts a table that was exported, sent as a file or pasted.
func (s *Server) importAliases(q *request) (page, error) {
	q.Body = http.MaxBytesReader(nil, q.Body, maxImport)
	if err := q.ParseMultipartForm(1 << 20); err != nil {
		return page{}, badForm(err)
	}
	defer func() { _ = q.MultipartForm.RemoveAll() }()
	text := []byte(q.PostFormValue("table"))
	if file, _, err := q.FormFile("file"); err == nil {
		defer file.Close()
		sent, err := io.ReadAll(file)
		if err != nil {
			return page{}, badForm(err)
		}
		if len(sent) > 0 {
			text = sent
		}
	}
	table, err := review.ParseTable(text)
	if err != nil {
		return page{}, err
	}
	author := orElse(viewer(q.Context()), q.PostFormValue("author"))
	if _, err := s.cfg.Reviews.Import(q.Context(), table, author); err != nil {
		return page{}, err
	}
	return page{to: s.back("") + "?state=accepted", cookie: authored(author)}, nil
}
