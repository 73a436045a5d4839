package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// Bounds of what is posted.
const (
	maxDecision = 64 << 10
	maxImport   = 8 << 20
)

// decide records what a reviewer decided about an alias candidate.
func (s *Server) decide(r *http.Request) (reply, error) {
	var d struct {
		review.Entry
		State  string     `json:"state"`
		Note   string     `json:"note"`
		Author string     `json:"author"`
		Seen   *time.Time `json:"seen"`
	}
	if err := ReadParams(r.URL).Err(); err != nil {
		return reply{}, err
	}
	if err := readJSON(r, maxDecision, &d); err != nil {
		return reply{}, err
	}
	taken, err := s.reviews.Decide(r.Context(), review.Decision{
		Entry: d.Entry, State: d.State, Note: d.Note, Author: d.Author, Seen: d.Seen,
	})
	if err != nil {
		return reply{}, err
	}
	taken.Seen = nil
	return asJSON(taken, ask.Query{})
}

// exportAliases gives the accepted table.
func (s *Server) exportAliases(r *http.Request) (reply, error) {
	p := ReadParams(r.URL)
	format, minRuns := p.Text("format"), p.Number("min_runs")
	if err := p.Err(); err != nil {
		return reply{}, err
	}
	writers := map[string]struct {
		kind  string
		write func(review.Table) ([]byte, error)
	}{
		"json": {kindJSON, review.Table.JSON},
		"csv":  {kindCSV, review.Table.CSV},
		"go":   {kindText, review.Table.Go},
	}
	if format == "" {
		format = "json"
	}
	writer, ok := writers[format]
	if !ok {
		return reply{}, &Error{Status: http.StatusBadRequest, Code: ask.CodeInvalid, Field: "format",
			Message: fmt.Sprintf("format is %q; it must be json, csv or go", cut(format))}
	}
	table, q, err := s.db.AcceptedAliases(r.Context(), minRuns)
	if err != nil {
		return reply{}, err
	}
	body, err := writer.write(table)
	if err != nil {
		return reply{}, err
	}
	return reply{kind: writer.kind, file: "aliases." + format, body: body, query: q}, nil
}

// importAliases accepts what an exported table holds.
func (s *Server) importAliases(r *http.Request) (reply, error) {
	p := ReadParams(r.URL)
	author := p.Text("author")
	if err := p.Err(); err != nil {
		return reply{}, err
	}
	body, err := readBody(r, maxImport)
	if err != nil {
		return reply{}, err
	}
	table, err := review.ParseTable(body)
	if err != nil {
		return reply{}, err
	}
	fresh, err := s.reviews.Import(r.Context(), table, author)
	if err != nil {
		return reply{}, err
	}
	return asJSON(struct {
		Entries  int `json:"entries"`
		Imported int `json:"imported"`
	}{len(table), fresh}, ask.Query{})
}

// cutovers lists the named moments.
func (s *Server) cutovers(ctx context.Context, p *Params) (ask.Answer[review.Cutover], error) {
	if err := p.Err(); err != nil {
		return ask.Answer[review.Cutover]{}, err
	}
	cutovers, err := s.reviews.Cutovers(ctx)
	if err != nil {
		return ask.Answer[review.Cutover]{}, err
	}
	asOf := s.db.Settings().Now().UTC().Truncate(time.Millisecond)
	return ask.Answer[review.Cutover]{
		Filters: ask.Filters{All: true, AsOf: asOf}, AsOf: asOf, Rows: cutovers, Query: ask.Query{Name: "cutovers.sql"},
	}, nil
}

// mark names a moment.
func (s *Server) mark(r *http.Request) (reply, error) {
	if err := ReadParams(r.URL).Err(); err != nil {
		return reply{}, err
	}
	var c struct {
		Name    string    `json:"name"`
		At      time.Time `json:"at"`
		Note    string    `json:"note"`
		Author  string    `json:"author"`
		Deleted bool      `json:"deleted"`
	}
	if err := readJSON(r, maxDecision, &c); err != nil {
		return reply{}, err
	}
	marked, err := s.reviews.Mark(r.Context(), review.Cutover{Name: c.Name, At: c.At, Note: c.Note, Author: c.Author, Deleted: c.Deleted})
	if err != nil {
		return reply{}, err
	}
	return asJSON(marked, ask.Query{})
}
