package web

import (
	"net/http"
	"strings"
	"time"

	"errata/metrics/review"
	"errata/web/api"
	"errata/web/ui"
	"errata/web/view"
)

// momentsPart lists the saved cutovers, with a form to save another one.
func (q *request) momentsPart(a *asking, r *reply[review.Cutover]) view.Moments {
	m := view.Moments{
		Section: q.sectioned(a, r.err, ui.Panel{ID: "cutovers", Title: "Cutovers", Links: []ui.Link{{Label: "JSON", Href: q.s.cfg.Base + api.Prefix + "cutovers"}},
			Definition: "Moments at which something was changed over, by name. They are drawn on every chart over time."}),
		Action: q.s.cfg.Base + "/cutovers", Back: q.URL.RequestURI(), Author: q.author(), LoggedIn: viewer(q.Context()) != "",
		Now: q.s.cfg.Now().UTC().Format(formMinute),
	}
	for _, c := range r.Rows {
		about := short(c.Note)
		if c.Author != "" {
			about = strings.TrimSpace(about + by(c.Author))
		}
		m.Saved = append(m.Saved, view.Moment{
			Name: ui.Visible(c.Name), Sent: c.Name, At: ui.Moment(c.At), About: about,
			Compare: q.link("/compare", "variant", "", "cutover", c.At.Format(time.RFC3339Nano)),
		})
	}
	return m
}

// formMinute is how a browser writes a moment in a form. It is UTC here.
const formMinute = "2006-01-02T15:04"

// mark records a cutover that a form sends, or takes one back, and goes back to where it was sent from.
func (s *Server) mark(q *request) (page, error) {
	q.Body = http.MaxBytesReader(nil, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	form := q.PostForm
	c := review.Cutover{Name: form.Get("name"), Note: form.Get("note"), Author: orElse(viewer(q.Context()), form.Get("author")), Deleted: form.Get("deleted") == "1"}
	if !c.Deleted {
		at, err := formMoment(form.Get("at"))
		if err != nil {
			return page{}, err
		}
		c.At = at
	}
	if _, err := s.cfg.Reviews.Mark(q.Context(), c); err != nil {
		return page{}, err
	}
	to := s.backTo("/compare", form.Get("back"))
	if !c.Deleted && !strings.Contains(to, "?") {
		to += "?cutover=" + c.At.UTC().Format(time.RFC3339Nano)
	}
	return page{to: to + "#cutovers", cookie: authored(c.Author)}, nil
}

// formMoment reads a moment as browsers and people write it; without a zone it is UTC.
func formMoment(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, formMinute, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, &api.Error{Status: http.StatusBadRequest, Code: "invalid_field", Field: "at", Message: "at must be a moment in UTC, such as 2026-10-01T12:00"}
}

// backTo is where a form was sent from, where that is the given page; else that page.
func (s *Server) backTo(path, to string) string {
	here := s.cfg.Base + path
	if to == here || strings.HasPrefix(to, here+"?") {
		return to
	}
	return here
}
