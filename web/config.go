package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// Questions is what pages ask.
type Questions interface {
	Loops(context.Context, ask.Filters) (ask.Answer[ask.Loops], error)
	Recovery(context.Context, ask.Filters) (ask.Answer[ask.Recovery], error)
	Cost(context.Context, ask.Filters) (ask.Answer[ask.Cost], error)
	Aliases(context.Context, ask.AliasFilters) (ask.Answer[ask.Alias], error)
	Runs(context.Context, ask.RunFilters) (ask.Answer[ask.RunRow], error)
	Values(context.Context, ask.Filters) (ask.Answer[ask.Values], error)
	Strips(ctx context.Context, runs []string, most int) (ask.Answer[ask.Strip], error)
	Run(ctx context.Context, id string, asOf time.Time) (ask.Answer[ask.Run], error)
	Health(context.Context) (ask.Answer[ask.Health], error)
	Simulated(context.Context, ask.Filters) (ask.Answer[ask.Simulated], error)
	Errors(context.Context, ask.ErrorFilters) (ask.Answer[ask.ErrorKind], error)
	NextActions(context.Context, ask.Filters) (ask.Answer[ask.NextActions], error)
	FieldEffects(context.Context, ask.Filters) (ask.Answer[ask.FieldEffect], error)
	Findings(context.Context, ask.Filters) (ask.Answer[ask.Finding], error)
	Coupling(context.Context, ask.Filters) (ask.Answer[ask.Coupling], error)
	Waste(context.Context, ask.Filters) (ask.Answer[ask.Waste], error)
	Compare(context.Context, ask.CompareFilters) (ask.Comparison, error)
	Shadow(context.Context, ask.Filters) (ask.Answer[ask.Shadow], error)
	ShadowAgreement(context.Context, ask.Filters) (ask.Answer[ask.ShadowAgreement], error)
}

// Reviews is what people decided.
type Reviews interface {
	Decide(context.Context, review.Decision) (review.Decision, error)
	Import(ctx context.Context, table review.Table, author string) (int, error)
	History(ctx context.Context, limit int) ([]review.Past, error)
	Cutovers(context.Context) ([]review.Cutover, error)
	Mark(context.Context, review.Cutover) (review.Cutover, error)
}

// Config is what a Server is made of.
type Config struct {
	Questions Questions
	Reviews   Reviews
	// API answers under /api/v1/ and gives pages as data.
	API http.Handler
	// Ready says why nothing can be answered yet; nil: it can.
	Ready func() error
	// Base stands before every address, for several sites on one server; "" for none.
	Base string
	// Note names the state that a gallery shows.
	Note string
	// PanelTimeout is how long a panel may take.
	PanelTimeout time.Duration
	// Live says how pages follow what is ingested.
	Live   Live
	Access Access
	Log    *slog.Logger
	Now    func() time.Time
	// Registry takes the counters; nil: nobody reads them.
	Registry prometheus.Registerer
	// Metrics answers at /metrics; nil: nothing does.
	Metrics http.Handler
}

// DefaultPanelTimeout is how long a panel may take where nothing else is said.
const DefaultPanelTimeout = 20 * time.Second

func (c *Config) validate() error {
	switch {
	case c.Questions == nil || c.Reviews == nil || c.API == nil:
		return errors.New("a server needs questions, reviews and the API")
	case c.Log == nil || c.Now == nil:
		return errors.New("a server needs a logger and something that tells the time")
	case c.PanelTimeout <= 0:
		c.PanelTimeout = DefaultPanelTimeout
	}
	c.Live = c.Live.orDefault()
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	return nil
}
