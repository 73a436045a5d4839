package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errata/metrics/review"
	"errata/web/api"
	"errata/web/ui"
)

// authorCookie remembers who decides where nobody logs in.
const authorCookie = "errata_author"

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

// decide records a decision that a form sends, and goes back to where it was sent from. A script that asks for JSON gets
// what was recorded, so that the reader keeps the place.
func (s *Server) decide(q *request) (page, error) {
	q.Body = http.MaxBytesReader(nil, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	form := q.PostForm
	d, err := decided(form)
	if err != nil {
		return page{}, err
	}
	if who := viewer(q.Context()); who != "" {
		d.Author = who
	}
	taken, err := s.cfg.Reviews.Decide(q.Context(), d)
	var refusal *review.Error
	if errors.As(err, &refusal) && refusal.Other != nil {
		return s.overtaken(q, *refusal.Other)
	}
	if err != nil {
		return page{}, err
	}
	cookie := authored(d.Author)
	if asksJSON(q.Request) {
		return page{data: told(taken), cookie: cookie}, nil
	}
	return page{to: s.back(form.Get("back")), cookie: cookie}, nil
}

// decided reads a decision out of a form.
func decided(form url.Values) (review.Decision, error) {
	d := review.Decision{
		Entry: review.Entry{Level: form.Get("level"), Tool: form.Get("tool"), Field: form.Get("field"), Rejected: form.Get("rejected"), Accepted: form.Get("accepted")},
		State: form.Get("state"), Note: form.Get("note"), Author: form.Get("author"),
	}
	text := form.Get("seen")
	if text == "" {
		return d, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return d, &api.Error{Status: http.StatusBadRequest, Code: "invalid_field", Field: "seen", Message: "seen must be the moment of the decision that was shown"}
	}
	d.Seen = &at
	return d, nil
}

// standing is a decision as the queue's script shows it.
type standing struct {
	State   string `json:"state"`
	Decided string `json:"decided"` // in words
	Note    string `json:"note"`
	Seen    string `json:"seen"` // what a form sends to say that it saw this decision
}

func told(d review.Decision) standing {
	return standing{State: d.State, Decided: decidedWords(d), Note: ui.Visible(d.Note), Seen: seen(&d.DecidedAt)}
}

// decidedWords says what was decided, when and by whom.
func decidedWords(d review.Decision) string {
	return stateWord(d.State) + " " + ui.Moment(d.DecidedAt) + by(d.Author)
}

// stateWord is a decision as a word.
func stateWord(state string) string {
	if state == review.StateNew {
		return "taken back"
	}
	return state
}

// overtaken shows what somebody else decided meanwhile. Nothing was recorded.
func (s *Server) overtaken(q *request, other review.Decision) (page, error) {
	message := "Somebody else was faster: " + decidedWords(other) + ". Nothing of yours was recorded; look, and decide again where you differ."
	if asksJSON(q.Request) {
		return page{status: http.StatusConflict, data: struct {
			Message string   `json:"message"`
			Now     standing `json:"now"`
		}{message, told(other)}}, nil
	}
	back, err := url.Parse(s.back(q.PostForm.Get("back")))
	if err != nil {
		return page{}, err
	}
	again := q.Request.Clone(q.Context())
	again.Method, again.URL = http.MethodGet, back
	name := ui.Visible(q.PostForm.Get("rejected"))
	p, err := s.queue(s.read(again, "aliases"), name+": "+message)
	p.status = http.StatusConflict
	return p, err
}

// asksJSON says whether a script sent a form and wants to know what became of it.
func asksJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

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
