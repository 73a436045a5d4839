package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/web/ui"
)

// frame is the frame of a page without anything that needs an answer.
func (s *Server) frame(r *http.Request, name string) ui.Frame {
	q := &request{Request: r, s: s}
	f := ui.Frame{Static: s.assets.addresses(s.cfg.Base), Gallery: s.cfg.Note, Theme: s.themeOf(r)}
	for _, p := range s.places() {
		to := q.link(p.path)
		if name == "code" && p.name == "aliases" {
			to = q.link(p.path, "code", r.PathValue("code"))
		}
		f.Nav = append(f.Nav, ui.NavLink{Label: p.label, Href: to, Here: p.name == name || p.name == above[name], Key: "g " + p.key})
		if p.name == name {
			f.Title = p.label
		}
	}
	return f
}

// above names the page that a page belongs to in the list of pages.
var above = map[string]string{"code": "codes", "run": "runs"}

// framing is what the frame of a page asks.
type framing struct {
	health    *reply[ask.Health]
	simulated *reply[ask.Simulated]
	settle    settled
}

// frameQuestions puts what the frame shows on every page.
func (q *request) frameQuestions(a *asking) framing {
	q.suggest(a)
	settle := q.settle(a)
	return framing{
		health:    put(a, "health", q.s.cfg.Questions.Health),
		simulated: put(a, "simulated", func(context.Context) (ask.Answer[ask.Simulated], error) { return settle() }),
		settle:    settle,
	}
}

// lateAfter is how old the newest report of an ingester may be before it is called late.
const lateAfter = 10 * time.Minute

// framed makes the frame of a page whose questions are answered.
func (q *request) framed(a *asking, asked framing) ui.Frame {
	f := q.s.frame(q.Request, q.name)
	if asked.simulated.ok() && len(asked.simulated.Rows) > 0 {
		f.Simulated = asked.simulated.Rows[0].Simulated > 0
	}
	if asked.health.ok() && len(asked.health.Rows) > 0 {
		f.Fresh, f.Live = q.fresh(asked.health.Rows[0]), q.followed(asked.health.Rows[0])
	}
	if !a.settled.AsOf.IsZero() {
		f.AsOf = ui.Moment(a.settled.AsOf)
	}
	f.Formats = q.formats()
	return f
}

func (q *request) fresh(h ask.Health) *ui.Fresh {
	f := &ui.Fresh{Href: q.s.cfg.Base + "/health"}
	switch {
	case h.AsOf == nil:
		f.Text, f.Late = "no ingester has reported", true
	case h.Lag != nil && *h.Lag > 0:
		f.Text, f.Late = ui.Plural(*h.Lag, "record", "records")+" behind", q.s.cfg.Now().Sub(*h.AsOf) > lateAfter
	case h.Newest != nil:
		f.Text = "facts to " + ui.Minute(*h.Newest) + " UTC"
	default:
		f.Text = "nothing ingested yet"
	}
	return f
}

// formats are this page as data.
func (q *request) formats() []ui.Link {
	path := strings.TrimPrefix(q.URL.Path, q.s.cfg.Base)
	if q.name == "run" {
		return []ui.Link{{Label: "JSON", Href: q.apiAddress("run", "id", q.PathValue("id"), "as_of", q.URL.Query().Get("as_of"))}}
	}
	if q.name == "code" {
		return q.data("cost")
	}
	if path == "/" || path == "" {
		path = "/overview"
	}
	to := func(format string) string { return address(q.s.cfg.Base+path+format, q.URL.Query()) }
	links := []ui.Link{{Label: "CSV", Href: to(".csv")}, {Label: "JSON", Href: to(".json")}}
	for _, p := range q.s.places() {
		if p.name == q.name {
			links = append(links, ui.Link{Label: "SQL", Href: q.s.cfg.Base + "/api/v1/sql/" + p.question + ".sql", Title: "the query behind the data"})
		}
	}
	return links
}

// filterBar says what is shown and lets it be changed.
func (q *request) filterBar(settled ask.Filters) *ui.FilterBar {
	given := q.URL.Query()
	b := &ui.FilterBar{
		Action: q.URL.Path, Sentence: windowWords(q.filters, settled),
		From: moment("from", "From (UTC)", given.Get("from")),
		To:   moment("to", "Until, not included (UTC)", given.Get("to")),
	}
	for _, name := range []string{"tool", "code", "variant", "model", "agent"} {
		if q.fixed.Has(name) {
			continue
		}
		b.Fields = append(b.Fields, ui.FilterField{Name: name, Label: strings.ToUpper(name[:1]) + name[1:], Type: "text", Hint: "any", Options: q.s.suggestions.of(name, given[name])})
		for _, v := range given[name] {
			b.Hidden = append(b.Hidden, ui.HiddenField{Name: name, Value: v})
			b.Chips = append(b.Chips, ui.Chip{Label: name + " = " + ui.Visible(v), Remove: q.without(name, v)})
		}
	}
	for _, name := range []string{"last", "all"} {
		if v := given.Get(name); v != "" {
			b.Hidden = append(b.Hidden, ui.HiddenField{Name: name, Value: v})
		}
	}
	if v := given.Get("as_of"); v != "" {
		b.Hidden = append(b.Hidden, ui.HiddenField{Name: "as_of", Value: v})
		b.Chips = append(b.Chips, ui.Chip{Label: "as of " + ui.Visible(v), Remove: q.same("as_of", "")})
	}
	if len(b.Chips) > 0 || given.Has("from") || given.Has("to") || given.Has("all") || given.Has("last") {
		b.Clear = q.URL.Path
	}
	b.Presets = q.presets(settled)
	return b
}

// presets are stretches of time up to the newest call, which move on with it, and the stretches before and after this one.
func (q *request) presets(settled ask.Filters) []ui.NavLink {
	given := q.URL.Query()
	open := !given.Has("from") && !given.Has("to") && !given.Has("all")
	to := func(pairs ...string) string {
		return q.same(append([]string{"from", "", "to", "", "all", "", "last", "", "cursor", ""}, pairs...)...)
	}
	var links []ui.NavLink
	for _, n := range []struct{ label, last string }{{"1 hour", "1h"}, {"1 day", "1d"}, {"7 days", "7d"}, {"28 days", ""}, {"90 days", "90d"}} {
		links = append(links, ui.NavLink{Label: n.label, Href: to("last", n.last), Here: open && given.Get("last") == n.last})
	}
	links = append(links, ui.NavLink{Label: "All time", Href: to("all", "1"), Here: q.filters.All})
	if settled.From.IsZero() || settled.To.IsZero() || !settled.To.After(settled.From) {
		return links
	}
	long := settled.To.Sub(settled.From)
	shifted := func(by time.Duration) string {
		return to("from", settled.From.Add(by).Format(time.RFC3339Nano), "to", settled.To.Add(by).Format(time.RFC3339Nano))
	}
	links = append(links, ui.NavLink{Label: "← Earlier", Href: shifted(-long)})
	if given.Has("to") {
		links = append(links, ui.NavLink{Label: "Later →", Href: shifted(long)})
	}
	return links
}

// without is this page with one value of a filter let go.
func (q *request) without(name, value string) string {
	values := q.URL.Query()
	values[name] = slices.DeleteFunc(values[name], func(v string) bool { return v == value })
	values.Del("cursor")
	return address(q.URL.Path, values)
}

// moment is an input of a time: a date where it is one.
func moment(name, label, value string) ui.FilterField {
	f := ui.FilterField{Name: name, Label: label, Type: "date"}
	if value == "" {
		return f
	}
	if t, err := time.Parse(time.RFC3339, value); err == nil && t.UTC().Equal(t.UTC().Truncate(24*time.Hour)) {
		f.Value = t.UTC().Format(time.DateOnly)
		return f
	}
	f.Type, f.Value = "text", value
	return f
}

// windowWords says which time is shown.
func windowWords(asked, settled ask.Filters) string {
	length := "28 days"
	if asked.Last > 0 {
		length = stretchWords(asked.Last)
	}
	switch {
	case asked.All:
		return "All time"
	case settled.From.IsZero() || settled.To.IsZero():
		return "The " + length + " up to the newest call"
	case asked.From.IsZero() && asked.To.IsZero():
		return "The " + length + " up to the newest call: " + ui.Minute(settled.From) + " to " + ui.Minute(settled.To) + " UTC"
	}
	return ui.Minute(settled.From) + " to " + ui.Minute(settled.To) + " UTC"
}

// stretchWords writes a stretch of time in its largest whole unit.
func stretchWords(d time.Duration) string {
	for _, unit := range []struct {
		one, many string
		size      time.Duration
	}{{"day", "days", 24 * time.Hour}, {"hour", "hours", time.Hour}} {
		if d%unit.size == 0 {
			return ui.Plural(int64(d/unit.size), unit.one, unit.many)
		}
	}
	return ui.Plural(int64(d/time.Minute), "minute", "minutes")
}

// apiAddress is an address of the API.
func (q *request) apiAddress(name string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	return address(q.s.cfg.Base+"/api/v1/"+name, values)
}
