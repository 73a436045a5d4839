package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// Server answers under /api/v1/.
type Server struct {
	db      *ask.DB
	reviews *review.Reviews
	log     *slog.Logger
}

// New makes the handler of everything under /api/v1/. What writes is protected against requests that another site makes
// a browser send.
func New(db *ask.DB, reviews *review.Reviews, log *slog.Logger) http.Handler {
	s := &Server{db: db, reviews: reviews, log: log}
	mux := http.NewServeMux()
	s.routes(mux)
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(s.handle("", func(*http.Request) (reply, error) {
		return reply{}, &Error{Status: http.StatusForbidden, Code: "cross_origin",
			Message: "another site made this browser send the request; send it from the dashboard itself"}
	}))
	return protection.Handler(mux)
}

// Prefix is where the API lives.
const Prefix = "/api/v1/"

func (s *Server) routes(mux *http.ServeMux) {
	question(s, mux, "loops", s.loops)
	question(s, mux, "recovery", s.recovery)
	question(s, mux, "cost", s.cost)
	question(s, mux, "aliases", s.aliases)
	question(s, mux, "runs", s.runs)
	question(s, mux, "errors", s.errors)
	question(s, mux, "findings", s.findings)
	question(s, mux, "next_actions", s.nextActions)
	question(s, mux, "coupling", s.coupling)
	question(s, mux, "waste", s.waste)
	question(s, mux, "health", s.health)
	question(s, mux, "field_effects", s.fieldEffects)
	question(s, mux, "breaker", s.breaker)
	question(s, mux, "shadow", s.shadow)
	question(s, mux, "shadow_agreement", s.shadowAgreement)
	mux.Handle("GET "+Prefix+"compare", s.handle("compare.sql", s.compareJSON))
	mux.Handle("GET "+Prefix+"compare.json", s.handle("compare.sql", s.compareJSON))
	mux.Handle("GET "+Prefix+"compare.csv", s.handle("compare.sql", s.compareCSV))
	question(s, mux, "cutovers", s.cutovers)
	mux.Handle("GET "+Prefix+"run", s.handle("run.sql", s.run))
	mux.Handle("GET "+Prefix+"run.json", s.handle("run.sql", s.run))
	mux.Handle("GET "+Prefix+"aliases/export", s.handle("aliases.sql", s.exportAliases))
	mux.Handle("POST "+Prefix+"aliases/import", s.handle("accepted.sql", s.importAliases))
	mux.Handle("POST "+Prefix+"aliases/decision", s.handle("newest.sql", s.decide))
	mux.Handle("POST "+Prefix+"cutovers", s.handle("cutovers.sql", s.mark))
	mux.Handle("GET "+Prefix+"sql/{file}", s.handle("", s.sql))
	mux.Handle(Prefix, s.handle("", s.unknown))
}

// question serves one question as JSON and as CSV.
func question[T any](s *Server, mux *http.ServeMux, name string, put func(context.Context, *Params) (ask.Answer[T], error)) {
	file := name + ".sql"
	asked := func(r *http.Request) (ask.Answer[T], error) { return put(r.Context(), ReadParams(r.URL)) }
	asJSONReply := func(r *http.Request) (reply, error) {
		a, err := asked(r)
		if err != nil {
			return reply{}, err
		}
		return asJSON(a, a.Query)
	}
	mux.Handle("GET "+Prefix+name, s.handle(file, asJSONReply))
	mux.Handle("GET "+Prefix+name+".json", s.handle(file, asJSONReply))
	mux.Handle("GET "+Prefix+name+".csv", s.handle(file, func(r *http.Request) (reply, error) {
		a, err := asked(r)
		if err != nil {
			return reply{}, err
		}
		return asCSV(name, a)
	}))
}

// handle makes a handler of a function that returns a whole reply or an error. The file names the query of a reply that
// has none of its own.
func (s *Server) handle(file string, answer func(*http.Request) (reply, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A request may need several questions, each with its own limit, and reviews, which have none.
		ctx, cancel := context.WithTimeout(r.Context(), 2*s.db.Settings().Timeout)
		defer cancel()
		re, err := answer(r.WithContext(ctx))
		if err != nil {
			re = s.failure(r, err)
		}
		if re.query.Name == "" {
			re.query.Name = file
		}
		re.send(w)
	})
}

// failure tells of an error, and logs what is not the caller's doing.
func (s *Server) failure(r *http.Request, err error) reply {
	told := Explain(err)
	if told.Status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		s.log.Error("cannot answer", "path", r.URL.Path, "error", err)
	}
	body, marshalError := json.Marshal(map[string]*Error{"error": told})
	if marshalError != nil {
		body = []byte(`{"error":{"code":"internal","message":"the error cannot be told"}}`)
	}
	re := reply{status: told.Status, kind: kindJSON, body: append(body, '\n')}
	var asked *ask.QueryError
	if errors.As(err, &asked) {
		re.query = asked.Query
	}
	return re
}

func (s *Server) unknown(r *http.Request) (reply, error) {
	name := strings.TrimPrefix(r.URL.Path, Prefix)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return reply{}, &Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Message: fmt.Sprintf("%s does not take %s", cut(r.URL.Path), cut(r.Method))}
	}
	return reply{}, &Error{Status: http.StatusNotFound, Code: "not_found",
		Message: fmt.Sprintf("there is nothing called %q; there are loops, recovery, cost, aliases, errors, findings, next_actions, coupling, waste, field_effects, breaker, shadow, shadow_agreement, compare, runs, run, health and cutovers", cut(name))}
}

// sql gives the text of a query by the name that replies carry.
func (s *Server) sql(r *http.Request) (reply, error) {
	file := r.PathValue("file")
	text, ok := ask.SQL(file)
	if !ok {
		text, ok = review.SQL(file)
	}
	if !ok {
		return reply{}, &Error{Status: http.StatusNotFound, Code: "not_found", Message: fmt.Sprintf("there is no query %q", cut(file))}
	}
	return reply{kind: kindText, body: []byte(text + "\n"), query: ask.Query{Name: file}}, nil
}

// readBody reads a request's body up to a limit.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Code: "body_broken", Message: "the body broke off; send it again"}
	}
	if int64(len(body)) > limit {
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
			Message: fmt.Sprintf("the body is larger than %d bytes; send less at once", limit)}
	}
	return body, nil
}

// readJSON reads a request's body as one JSON object.
func readJSON(r *http.Request, limit int64, into any) error {
	body, err := readBody(r, limit)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	if err != nil {
		return &Error{Status: http.StatusBadRequest, Code: "invalid_body", Message: "the body is not the JSON object expected here: " + cut(err.Error())}
	}
	return nil
}
