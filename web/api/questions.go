package api

import (
	"context"
	"net/http"

	"errata/metrics/ask"
)

// filtered puts a question that takes the common filters and no others.
func filtered[T any](ctx context.Context, p *Params, put func(context.Context, ask.Filters) (ask.Answer[T], error)) (ask.Answer[T], error) {
	f := p.Filters()
	if err := p.Err(); err != nil {
		return ask.Answer[T]{}, err
	}
	return put(ctx, f)
}

func (s *Server) loops(ctx context.Context, p *Params) (ask.Answer[ask.Loops], error) {
	return filtered(ctx, p, s.db.Loops)
}

func (s *Server) recovery(ctx context.Context, p *Params) (ask.Answer[ask.Recovery], error) {
	return filtered(ctx, p, s.db.Recovery)
}

func (s *Server) cost(ctx context.Context, p *Params) (ask.Answer[ask.Cost], error) {
	return filtered(ctx, p, s.db.Cost)
}

func (s *Server) findings(ctx context.Context, p *Params) (ask.Answer[ask.Finding], error) {
	return filtered(ctx, p, s.db.Findings)
}

func (s *Server) nextActions(ctx context.Context, p *Params) (ask.Answer[ask.NextActions], error) {
	return filtered(ctx, p, s.db.NextActions)
}

func (s *Server) coupling(ctx context.Context, p *Params) (ask.Answer[ask.Coupling], error) {
	return filtered(ctx, p, s.db.Coupling)
}

func (s *Server) waste(ctx context.Context, p *Params) (ask.Answer[ask.Waste], error) {
	return filtered(ctx, p, s.db.Waste)
}

func (s *Server) errors(ctx context.Context, p *Params) (ask.Answer[ask.ErrorKind], error) {
	f := ask.ErrorFilters{Filters: p.Filters(), Rule: p.Texts("rule")}
	if err := p.Err(); err != nil {
		return ask.Answer[ask.ErrorKind]{}, err
	}
	return s.db.Errors(ctx, f)
}

func (s *Server) aliases(ctx context.Context, p *Params) (ask.Answer[ask.Alias], error) {
	f := ask.AliasFilters{
		Filters: p.Filters(), MinRuns: p.Number("min_runs"),
		Kind: p.Texts("kind"), Level: p.Texts("level"), State: p.Texts("state"),
	}
	if err := p.Err(); err != nil {
		return ask.Answer[ask.Alias]{}, err
	}
	return s.db.Aliases(ctx, f)
}

func (s *Server) runs(ctx context.Context, p *Params) (ask.Answer[ask.RunRow], error) {
	f := ask.RunFilters{
		Filters: p.Filters(), Label: p.Texts("label"), Ending: p.Texts("ending"), AttemptsMin: p.Number("attempts_min"),
		Evidence: p.Evidence(),
		Sort:     p.Text("sort"), Limit: p.Number("limit"), Cursor: p.Text("cursor"),
	}
	if err := p.Err(); err != nil {
		return ask.Answer[ask.RunRow]{}, err
	}
	return s.db.Runs(ctx, f)
}

func (s *Server) health(ctx context.Context, p *Params) (ask.Answer[ask.Health], error) {
	if err := p.Err(); err != nil {
		return ask.Answer[ask.Health]{}, err
	}
	return s.db.Health(ctx)
}

// run gives one whole run. It is one object and no list, so it has no CSV.
func (s *Server) run(r *http.Request) (reply, error) {
	p := ReadParams(r.URL)
	id, asOf := p.Text("id"), p.Time("as_of")
	if err := p.Err(); err != nil {
		return reply{}, err
	}
	a, err := s.db.Run(r.Context(), id, asOf)
	if err != nil {
		return reply{}, err
	}
	return asJSON(a, a.Query)
}
