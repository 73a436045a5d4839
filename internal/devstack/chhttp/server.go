// Package chhttp answers ClickHouse's HTTP interface from the embedded engine, so that clients of a ClickHouse server find
// what they find there: settings and parameters in the URL, Native blocks of the client's revision, compression, exception
// codes, and the end of a query whose client has gone.
package chhttp

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"errata/internal/devstack/engine"
)

// Server is the HTTP handler over one engine.
type Server struct {
	engine *engine.Engine
	log    *slog.Logger
	mux    *http.ServeMux
}

// New makes the handler.
func New(e *engine.Engine, log *slog.Logger) *Server {
	s := &Server{engine: e, log: log, mux: http.NewServeMux()}
	ok := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = io.WriteString(w, "Ok.\n")
	}
	s.mux.HandleFunc("/ping", ok)
	s.mux.HandleFunc("/replicas_status", ok)
	s.mux.HandleFunc("/{$}", s.serveQuery)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "There is no handle "+r.URL.Path+"\nUse / for queries and /ping for health checks.", http.StatusNotFound)
	})
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) serveQuery(w http.ResponseWriter, r *http.Request) {
	if isGreeting(r) {
		_, _ = io.WriteString(w, "Ok.\n")
		return
	}
	req, err := readRequest(r)
	if req == nil {
		req = &request{}
	}
	if req.id == "" {
		req.id = newID()
	}
	reply := newReply(w, req, s.engine.Version())
	if err != nil {
		reply.fail(err)
		return
	}
	stats, err := s.execute(r.Context(), req, reply)
	if err == nil {
		err = reply.finish(stats)
	}
	if err != nil {
		s.log.Debug("query failed", "query_id", req.id, "query", clip(req.text), "error", err)
		reply.fail(err)
	}
}

// isGreeting recognises a bare GET /, which a server answers like /ping.
func isGreeting(r *http.Request) bool {
	return r.Method == http.MethodGet && !r.URL.Query().Has("query") && r.ContentLength == 0
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func clip(text string) string {
	if len(text) > 500 {
		return text[:500] + "…"
	}
	return text
}

// execute runs a request in a session of its own.
func (s *Server) execute(ctx context.Context, req *request, reply *reply) (engine.Stats, error) {
	options := req.session
	options.Tag = newID()
	session, err := s.engine.Session(ctx, options)
	if err != nil {
		return engine.Stats{}, err
	}
	defer session.Close()
	if req.inserts {
		return session.Insert(ctx, engine.Query{Text: req.text, Format: req.insertFormat, Params: req.params}, req.rows)
	}
	format := reply.format()
	query := engine.Query{Text: req.text, Format: format, Params: req.params, Piecewise: piecewise(req.verb, format)}
	return session.Query(ctx, query, reply.write)
}

// piecewise says whether a result can be sent while it is made: only a SELECT gives it so, and each piece of a format with a
// head or a frame would have its own.
func piecewise(verb, format string) bool {
	switch verb {
	case "SELECT", "WITH", "(", "FROM":
	default:
		return false
	}
	switch strings.ToLower(format) {
	case "native", "tabseparated", "tsv", "tabseparatedraw", "tsvraw", "csv", "jsoneachrow", "jsoncompacteachrow", "rowbinary", "lineasstring":
		return true
	}
	return false
}
