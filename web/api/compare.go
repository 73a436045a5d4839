package api

import (
	"context"
	"net/http"
	"strconv"

	"errata/metrics/ask"
)

// compare puts the question of two arms.
func (s *Server) compare(r *http.Request) (ask.Comparison, error) {
	p := ReadParams(r.URL)
	f := ask.CompareFilters{
		Filters: p.Filters(), A: p.Text("a"), B: p.Text("b"), Cutover: p.Time("cutover"),
		Split: p.Fraction("split"), Margin: p.Fraction("margin"), Target: float64(p.Number("target")),
	}
	if err := p.Err(); err != nil {
		return ask.Comparison{}, err
	}
	return s.db.Compare(r.Context(), f)
}

// compareJSON gives the rows with what bears on all of them.
func (s *Server) compareJSON(r *http.Request) (reply, error) {
	c, err := s.compare(r)
	if err != nil {
		return reply{}, err
	}
	return asJSON(c, c.Query)
}

// compareCSV gives the rows alone.
func (s *Server) compareCSV(r *http.Request) (reply, error) {
	c, err := s.compare(r)
	if err != nil {
		return reply{}, err
	}
	return asCSV("compare", c.Answer)
}

// Fraction is the value of a number; 0 where it is not given.
func (p *Params) Fraction(name string) float64 {
	text := p.Text(name)
	if text == "" {
		if p.values.Has(name) {
			p.fail(name, "%s is empty; give a number or leave it out", name)
		}
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n {
		p.fail(name, "%s is %.40q; it must be a number, such as 0.5", name, text)
		return 0
	}
	return n
}

func (s *Server) fieldEffects(ctx context.Context, p *Params) (ask.Answer[ask.FieldEffect], error) {
	return filtered(ctx, p, s.db.FieldEffects)
}

func (s *Server) breaker(ctx context.Context, p *Params) (ask.Answer[ask.Breaker], error) {
	return filtered(ctx, p, s.db.Breaker)
}

func (s *Server) shadow(ctx context.Context, p *Params) (ask.Answer[ask.Shadow], error) {
	return filtered(ctx, p, s.db.Shadow)
}

func (s *Server) shadowAgreement(ctx context.Context, p *Params) (ask.Answer[ask.ShadowAgreement], error) {
	return filtered(ctx, p, s.db.ShadowAgreement)
}
