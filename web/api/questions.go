package api

import (
	"context"
	"net/http"

	"errata/metrics/ask"
)

func (s *Server) loops(ctx context.Context, p *Params) (ask.Answer[ask.Loops], error) {
	f := p.Filters()
	if err := p.Err(); err != nil {
		return ask.Answer[ask.Loops]{}, err
	}
	return s.db.Loops(ctx, f)
}

func (s *Server) recovery(ctx context.Context, p *Params) (ask.Answer[ask.Recovery], error) {
	f := p.Filters()
	if err := p.Err(); err != nil {
		return ask.Answer[ask.Recovery]{}, err
	}
	return s.db.Recovery(ctx, f)
}

func (s *Server) cost(ctx context.Context, p *Params) (ask.Answer[ask.Cost], error) {
	f := p.Filters()
	if err := p.Err(); err != nil {
		return ask.Answer[ask.Cost]{}, err
	}
	return s.db.Cost(ctx, f)
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
		Sort: p.Text("sort"), Limit: p.Number("limit"), Cursor: p.Text("cursor"),
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
