package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"errata/web/api"
	"errata/web/ui"
	"errata/web/view"
)

// Server serves the pages and, under /api/v1/, their figures as data.
type Server struct {
	cfg      Config
	assets   assets
	counters *counters
	streams  streams
	handler  http.Handler

	suggestions *suggestions
}

// New makes a Server. It connects to nothing.
func New(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	files, err := embeddedAssets()
	if err != nil {
		return nil, err
	}
	counters, err := newCounters(cfg.Registry)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, assets: files, counters: counters, streams: streams{end: make(chan struct{})}, suggestions: &suggestions{}}
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(s.answer("denied", func(*request) (page, error) { return page{}, errCrossOrigin }))
	s.handler = guarded(cfg.Access, s.deny, protection.Handler(s.routes()))
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// page is a whole answer, before it is rendered.
type page struct {
	status int // 0: 200
	frame  ui.Frame
	body   templ.Component
	to     string // where to go instead
	cookie *http.Cookie
	data   any // in place of a page, for a script that asks for JSON
}

// place is a page of the site.
type place struct {
	path, name, label string
	key               string // that leads to it after g
	question          string // of the API that gives it as data
	by                string // how the data are grouped where the address does not say
	only              []string
	show              func(*request) (page, error)
}

func (s *Server) places() []place {
	return []place{
		{"/", "overview", "Overview", "o", "loops", "day", nil, s.overview},
		{"/loops", "loops", "Loops", "l", "loops", "day", nil, s.loops},
		{"/recovery", "recovery", "Recovery", "r", "recovery", "", nil, s.recovery},
		{"/codes", "codes", "Cost", "c", "cost", "code", []string{"sort"}, s.codes},
		{"/compare", "compare", "Compare", "m", "compare", "", nil, s.compare},
		{"/shadow", "shadow", "Shadow", "s", "shadow", "", nil, s.shadow},
		{"/aliases", "aliases", "Aliases", "a", "aliases", "", nil, s.aliases},
		{"/runs", "runs", "Runs", "u", "runs", "", nil, s.runs},
		{"/health", "health", "Health", "h", "health", "", nil, s.health},
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	base := s.cfg.Base
	for _, p := range s.places() {
		path := p.path
		if path == "/" {
			path = "/{$}"
		}
		mux.Handle("GET "+base+path, s.answer(p.name, p.show))
		file := "/overview"
		if p.path != "/" {
			file = p.path
		}
		for _, format := range []string{".csv", ".json"} {
			mux.Handle("GET "+base+file+format, s.data(p, format))
		}
	}
	mux.Handle("GET "+base+"/runs/{id}", s.answer("run", s.run))
	mux.Handle("GET "+base+"/runs/{id}/calls/{number}", s.answer("run", s.runCall))
	mux.Handle("GET "+base+"/aliases/waiting", s.answer("waiting", s.waiting))
	mux.Handle("GET "+base+"/codes/{code}", s.answer("code", s.code))
	mux.HandleFunc("GET "+base+"/live", s.follow)
	mux.Handle("POST "+base+"/theme", s.answer("theme", s.theme))
	mux.Handle("POST "+base+"/aliases/decision", s.answer("decide", s.decide))
	mux.Handle("POST "+base+"/aliases/import", s.answer("import", s.importAliases))
	mux.Handle("POST "+base+"/cutovers", s.answer("mark", s.mark))
	mux.Handle("GET "+base+"/static/{file...}", s.assets)
	mux.Handle(base+api.Prefix, s.counted("api", s.whenReady(http.StripPrefix(base, s.cfg.API))))
	if s.cfg.Metrics != nil {
		mux.Handle("GET "+base+"/metrics", s.cfg.Metrics)
	}
	mux.Handle("/", s.answer("unknown", func(*request) (page, error) { return page{}, errNoPage }))
	return mux
}

// data gives a page as the API's rows for the same filters.
func (s *Server) data(p place, format string) http.Handler {
	return s.counted(p.name+format, s.whenReady(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values := r.URL.Query()
		for _, name := range p.only {
			values.Del(name)
		}
		if p.by != "" && !values.Has("by") {
			values.Set("by", p.by)
		}
		s.forward(w, r, p.question+format, values.Encode())
	})))
}

// forward lets the API answer.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, name, query string) {
	to := r.Clone(r.Context())
	to.URL.Path, to.URL.RawPath, to.URL.RawQuery = api.Prefix+name, "", query
	s.cfg.API.ServeHTTP(w, to)
}

// whenReady answers with an error as long as nothing can be answered.
func (s *Server) whenReady(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.cfg.Ready(); err != nil {
			s.writeError(w, r, errNotReady)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// counted counts what a handler answers.
func (s *Server) counted(name string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		s.counters.request(name, seen.status, time.Since(start))
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

// Unwrap lets a stream reach what flushes.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// answer makes a handler of a function that returns a whole page or an error. It is the one place where pages are sent.
func (s *Server) answer(name string, show func(*request) (page, error)) http.Handler {
	return s.counted(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.show(r, name, show)
		if err != nil {
			s.writeError(w, r, err)
			return
		}
		if p.cookie != nil {
			http.SetCookie(w, p.cookie)
		}
		if p.to != "" {
			http.Redirect(w, r, p.to, http.StatusSeeOther)
			return
		}
		if p.data != nil {
			writeJSON(w, p.status, p.data)
			return
		}
		if err := s.write(w, r, p); err != nil {
			s.writeError(w, r, err)
		}
	}))
}

func (s *Server) show(r *http.Request, name string, show func(*request) (page, error)) (page, error) {
	if name != "unknown" && name != "denied" {
		if err := s.cfg.Ready(); err != nil {
			return page{}, errNotReady
		}
	}
	if r.Method == http.MethodGet {
		if to, changed := tidy(r.URL); changed {
			return page{to: to}, nil
		}
	}
	return show(s.read(r, name))
}

// write renders a page as a whole and then sends it.
func (s *Server) write(w http.ResponseWriter, r *http.Request, p page) error {
	var body bytes.Buffer
	ctx := templ.WithChildren(r.Context(), p.body)
	if err := ui.Layout(p.frame).Render(ctx, &body); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Encoding")
	sent := body.Bytes()
	if body.Len() >= leastCompressed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		small, err := compressed(sent)
		if err != nil {
			return err
		}
		sent = small
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(sent)))
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	_, _ = w.Write(sent)
	return nil
}

// leastCompressed is how large a page is that is worth compressing: a smaller one fits into a packet as it is. Pages hold no
// secret whose guess a change of length could confirm.
const leastCompressed = 1400

func compressed(text []byte) ([]byte, error) {
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("compress a page: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return nil, fmt.Errorf("compress a page: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress a page: %w", err)
	}
	return small.Bytes(), nil
}

// The errors that belong to the site rather than to a question.
var (
	errNoPage = &api.Error{Status: http.StatusNotFound, Code: "not_found",
		Message: "there is no page at this address; the pages are listed above"}
	errCrossOrigin = &api.Error{Status: http.StatusForbidden, Code: "cross_origin",
		Message: "another site made this browser send the request; send it from the dashboard itself"}
	errNotReady = &api.Error{Status: http.StatusServiceUnavailable, Code: "starting",
		Message: "the database does not answer yet, or its tables are still being made; this page asks again by itself"}
)

// writeError tells of an error: as JSON to programs, as a page to people. What is not the caller's doing is logged.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	told := api.Explain(err)
	if told.Status >= http.StatusInternalServerError && told != errNotReady && !errors.Is(err, context.Canceled) {
		s.cfg.Log.Error("cannot answer", "path", r.URL.Path, "error", err)
	}
	if told == errNotReady {
		w.Header().Set("Retry-After", "3")
	}
	if programs(s.cfg.Base, r) {
		writeJSON(w, told.Status, map[string]*api.Error{"error": told})
		return
	}
	frame := s.frame(r, "")
	frame.Title = http.StatusText(told.Status)
	frame.Refresh = told == errNotReady
	p := page{status: told.Status, frame: frame, body: view.Failure(view.FailurePage{
		Message: sentence(told.Message), Field: ui.Visible(told.Field), Home: s.cfg.Base + "/",
	})}
	if err := s.write(w, r, p); err != nil {
		http.Error(w, "something went wrong here; the log says what", http.StatusInternalServerError)
	}
}

// writeJSON sends what a program asked for; status 0 is 200.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body, _ := json.Marshal(value)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write(append(body, '\n'))
}

// programs says whether a request wants data rather than a page.
func programs(base string, r *http.Request) bool {
	return asksJSON(r) || strings.HasPrefix(r.URL.Path, base+api.Prefix) || strings.HasSuffix(r.URL.Path, ".json") || strings.HasSuffix(r.URL.Path, ".csv")
}

// deny turns a request away.
func (s *Server) deny(w http.ResponseWriter, r *http.Request) {
	if s.cfg.Access.open() {
		s.writeError(w, r, &api.Error{Status: http.StatusForbidden, Code: "foreign_host",
			Message: "the dashboard answers only to addresses of this machine, such as 127.0.0.1; behind a proxy start it with -behind-proxy"})
		return
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="Errata", charset="UTF-8"`)
	s.writeError(w, r, &api.Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "log in to look at this"})
}
