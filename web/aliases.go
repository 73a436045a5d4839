package web

import (
	"context"
	"fmt"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// mostCandidates is how many candidates one page shows.
const mostCandidates = 100

// lastDecisions is how many decisions the page lists, each to be undone while it is the newest of its candidate.
const lastDecisions = 20

func (s *Server) aliases(q *request) (page, error) { return s.queue(q, "") }

// queue is the page of candidates, with something to say first where there is.
func (s *Server) queue(q *request, notice string) (page, error) {
	state := q.params.Texts("state")
	f := ask.AliasFilters{Filters: q.filters, MinRuns: q.params.Number("min_runs"), Kind: q.params.Texts("kind"), Level: q.params.Texts("level"), State: state}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	list := put(a, "aliases", func(ctx context.Context) (ask.Answer[ask.Alias], error) { return s.cfg.Questions.Aliases(ctx, f) })
	past := put(a, "history", s.history)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Keys = queueKeys()
	p.frame.Title, p.frame.Question = "Alias candidates", "Which wrong names do agents guess again and again, and should they be accepted?"
	p.frame.Filters = q.aliasFilterBar(a.settled)
	p.body = view.Aliases(view.AliasesPage{
		Notice: notice, History: q.historySection(a, past), Past: q.pastList(past.Rows),
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
	s := q.sectioned(a, list.err, ui.Panel{ID: "list", Title: "Candidates", Links: q.aliasData(),
		Definition: "A name that was rejected, and the one in its place when the episode recovered. Open-ended fields and what looks like an address, a number of a person, a token or a key are held back."})
	if list.ok() && len(list.Rows) == 0 {
		s.Empty = q.nothing("candidates")
	}
	if len(list.Rows) > mostCandidates {
		s.Definition += fmt.Sprintf(" Shown are the first %d of %s.", mostCandidates, ui.Count(int64(len(list.Rows))))
	}
	return s
}

// aliasData are the candidates as data, under the filters of this page that others do not have.
func (q *request) aliasData() []ui.Link {
	var pairs []string
	given := q.URL.Query()
	for _, name := range []string{"kind", "level", "state", "min_runs"} {
		for _, v := range given[name] {
			pairs = append(pairs, name, v)
		}
	}
	return q.data("aliases", pairs...)
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
			Fields: entryFields(review.Entry{Level: r.Level, Tool: r.Tool, Field: r.Field, Rejected: r.Rejected, Accepted: r.Accepted}, r.DecidedAt),
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
			c.Decided = decidedWords(review.Decision{State: r.State, Author: r.Author, DecidedAt: *r.DecidedAt})
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

// queueKeys are the keys of the queue.
func queueKeys() []ui.Key {
	return []ui.Key{
		{Keys: "j", Does: "next candidate"}, {Keys: "k", Does: "candidate before"}, {Keys: "a", Does: "accept"}, {Keys: "r", Does: "reject"},
		{Keys: "u", Does: "undo the last decision"}, {Keys: "n", Does: "write a note"}, {Keys: "e", Does: "open the newest example"},
	}
}

// history asks what was decided last.
func (s *Server) history(ctx context.Context) (ask.Answer[review.Past], error) {
	past, err := s.cfg.Reviews.History(ctx, lastDecisions)
	return ask.Answer[review.Past]{Rows: past}, err
}

func (q *request) historySection(a *asking, past *reply[review.Past]) view.Section {
	s := q.sectioned(a, past.err, ui.Panel{ID: "history", Title: "What was decided last?",
		Definition: "Decisions are only ever added; of a candidate's decisions the newest counts. Undoing one decides again what was decided before it."})
	if past.ok() && len(past.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "Nobody has decided anything yet."}
	}
	return s
}

// pastList is what was decided last, with the form that undoes each.
func (q *request) pastList(rows []review.Past) []view.Past {
	var all []view.Past
	for _, r := range rows {
		p := view.Past{
			Rejected: ui.Visible(r.Rejected), Accepted: ui.Visible(r.Accepted), Folded: r.Rejected == review.AnyCase,
			Where: strings.TrimSpace(ui.Visible(r.Tool) + " " + ui.Visible(r.Field)), Decided: decidedWords(r.Decision), Note: ui.Visible(r.Note),
		}
		if r.Newest && r.Before != r.State {
			p.Action, p.Before = q.s.cfg.Base+"/aliases/decision", r.Before
			p.Fields = append(entryFields(r.Entry, &r.DecidedAt), ui.HiddenField{Name: "author", Value: q.author()}, ui.HiddenField{Name: "back", Value: q.URL.RequestURI()})
		}
		all = append(all, p)
	}
	return all
}

// entryFields name a candidate in a form, and the decision that its sender saw.
func entryFields(e review.Entry, at *time.Time) []ui.HiddenField {
	return []ui.HiddenField{{Name: "level", Value: e.Level}, {Name: "tool", Value: e.Tool}, {Name: "field", Value: e.Field},
		{Name: "rejected", Value: e.Rejected}, {Name: "accepted", Value: e.Accepted}, {Name: "seen", Value: seen(at)}}
}
