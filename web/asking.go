package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"errata/metrics/ask"
	"errata/web/api"
	"errata/web/ui"
)

// atOnce is how many questions of one page are put at the same time.
const atOnce = 4

// asking puts the questions of one page, each on its own: one that fails leaves the others standing.
type asking struct {
	s     *Server
	ctx   context.Context
	group errgroup.Group

	mu      sync.Mutex
	asked   int
	failed  int
	refused error       // the first question that was put wrongly: the page's error
	settled ask.Filters // of the first answer
}

// begin starts asking. The context lives as long as the request.
func (s *Server) begin(ctx context.Context) *asking {
	a := &asking{s: s, ctx: ask.Together(ctx)}
	a.group.SetLimit(atOnce)
	return a
}

// reply is what became of one question. It may be read after wait.
type reply[T any] struct {
	ask.Answer[T]
	err error
}

// ok says whether there is an answer.
func (r *reply[T]) ok() bool { return r.err == nil }

// put puts a question; its reply is there after wait.
func put[T any](a *asking, name string, question func(context.Context) (ask.Answer[T], error)) *reply[T] {
	r := &reply[T]{}
	a.group.Go(func() error {
		ctx, cancel := context.WithTimeout(a.ctx, a.s.cfg.PanelTimeout)
		defer cancel()
		start := time.Now()
		r.Answer, r.err = question(ctx)
		a.s.counters.question(name, time.Since(start), r.err)
		a.note(name, r.Filters, r.err)
		return nil
	})
	return r
}

func (a *asking) note(name string, settled ask.Filters, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	if err == nil {
		if !settled.AsOf.IsZero() && name != "health" && a.settled.AsOf.IsZero() {
			a.settled = settled
		}
		return
	}
	a.failed++
	told := api.Explain(err)
	if told.Status < http.StatusInternalServerError && a.refused == nil {
		a.refused = err
	}
	if told.Status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		a.s.cfg.Log.Error("cannot answer a part of a page", "question", name, "error", err)
	}
}

// wait waits for all replies. The error is of a question that was put wrongly.
func (a *asking) wait() error {
	_ = a.group.Wait()
	return a.refused
}

// status is that of a page: of its parts one is enough.
func (a *asking) status() int {
	if a.asked > 0 && a.failed == a.asked {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// trouble tells of an error in a panel, nil where there is none.
func (a *asking) trouble(err error, retry string) *ui.Trouble {
	if err == nil {
		return nil
	}
	t := &ui.Trouble{Message: sentence(api.Explain(err).Message), Retry: retry}
	var asked *ask.QueryError
	if errors.As(err, &asked) {
		t.Query = asked.Query.Name + " " + asked.Query.ID
	}
	return t
}
