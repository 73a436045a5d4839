package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"errata/metrics/ask"
	"errata/web/api"
	"errata/web/ui"
)

// request is a request for a page, read.
type request struct {
	*http.Request
	s       *Server
	name    string
	params  *api.Params
	filters ask.Filters
	fixed   url.Values // filters that the path says, for links to other pages
}

// read reads what every page is asked with. What is wrong with it shows when params.Err is asked.
func (s *Server) read(r *http.Request, name string) *request {
	q := &request{Request: r, s: s, name: name, params: api.ReadParams(r.URL)}
	q.filters = q.params.Filters()
	q.filters.By = nil
	return q
}

// by is the filters with rows grouped.
func (q *request) by(dimensions ...string) ask.Filters {
	f := q.filters
	f.By = dimensions
	return f
}

// filterNames are the parameters that go along from page to page.
func filterNames() []string {
	return []string{"from", "to", "last", "all", "as_of", "tool", "code", "variant", "model", "agent"}
}

// shared is the filters of this page as parameters of another.
func (q *request) shared() url.Values {
	values := url.Values{}
	given := q.URL.Query()
	for _, name := range filterNames() {
		if given.Has(name) {
			values[name] = slices.Clone(given[name])
		}
	}
	for name, fixed := range q.fixed {
		values[name] = slices.Clone(fixed)
	}
	return values
}

// narrowed says whether the address filters beyond what its path says.
func (q *request) narrowed() bool {
	return slices.ContainsFunc(filterNames(), q.URL.Query().Has)
}

// data are the rows of a question under the page's filters, for programs, and the query behind them.
func (q *request) data(question string, pairs ...string) []ui.Link {
	return []ui.Link{
		{Label: "CSV", Href: q.apiShared(question+".csv", pairs...), Title: "these figures as a file"},
		{Label: "JSON", Href: q.apiShared(question, pairs...), Title: "these figures for programs"},
		{Label: "SQL", Href: q.s.cfg.Base + api.Prefix + "sql/" + question + ".sql", Title: "the query behind these figures"},
	}
}

// segment is a name as a part of a path. A name of dots alone would be taken for a folder.
func segment(name string) string {
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "%2E")
	}
	return url.PathEscape(name)
}

// link is another page under the same filters, with further parameters as pairs; one that is named there replaces what
// was filtered by before, and an empty value leaves it out.
func (q *request) link(path string, pairs ...string) string {
	values := q.shared()
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Del(pairs[i])
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Add(pairs[i], pairs[i+1])
		}
	}
	return address(q.s.cfg.Base+path, values)
}

// same is this page with parameters replaced; an empty value leaves one out.
func (q *request) same(pairs ...string) string {
	values := q.URL.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Del(pairs[i])
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	return address(q.URL.Path, values)
}

// runs is the list of the runs that a number counts.
func (q *request) runs(pairs ...string) string { return q.link("/runs", pairs...) }

func address(path string, values url.Values) string {
	if query := values.Encode(); query != "" {
		return path + "?" + query
	}
	return path
}

// tidy gives the address that a form's address stands for: without what was left empty, with dates as moments.
func tidy(u *url.URL) (string, bool) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", false
	}
	changed := false
	for name, given := range values {
		kept := slices.DeleteFunc(slices.Clone(given), func(v string) bool { return v == "" })
		for i, v := range kept {
			if !slices.Contains([]string{"from", "to", "as_of", "cutover"}, name) {
				continue
			}
			if _, err := time.Parse(time.RFC3339, v); err == nil {
				continue
			}
			if at, err := formMoment(v); err == nil {
				kept[i] = at.Format(time.RFC3339)
				changed = true
			}
		}
		if len(kept) != len(given) {
			changed = true
		}
		values[name] = kept
		if len(kept) == 0 {
			delete(values, name)
		}
	}
	changed = oneWindow(values) || changed
	return address(u.Path, values), changed
}

// oneWindow leaves out how far back was looked where a form says from when, and that all time was shown where it says a time.
func oneWindow(values url.Values) (changed bool) {
	drop := func(name string) {
		changed = changed || values.Has(name)
		values.Del(name)
	}
	if values.Has("from") {
		drop("last")
	}
	if values.Has("from") || values.Has("to") || values.Has("last") {
		drop("all")
	}
	return changed
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

type viewerKey struct{}

// withViewer keeps who is looking.
func withViewer(ctx context.Context, who string) context.Context {
	return context.WithValue(ctx, viewerKey{}, who)
}

// viewer is who is looking, "" where nobody logs in.
func viewer(ctx context.Context) string {
	who, _ := ctx.Value(viewerKey{}).(string)
	return who
}
