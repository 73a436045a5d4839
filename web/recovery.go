package web

import (
	"errata/metrics/stats"
	"errata/web/ui"
)

// numberText writes a number that may be "never".
func numberText(n stats.Number) string {
	if !n.IsKnown() {
		return ui.Unknown
	}
	return n.String()
}

func (s *Server) recovery(q *request) (page, error) { return page{}, errNoPage }

func (s *Server) aliases(q *request) (page, error) { return page{}, errNoPage }

func (s *Server) decide(q *request) (page, error) { return page{}, errNoPage }

func (s *Server) importAliases(q *request) (page, error) { return page{}, errNoPage }

func (s *Server) run(q *request) (page, error) { return page{}, errNoPage }
