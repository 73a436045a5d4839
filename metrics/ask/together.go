package ask

import (
	"context"
	"sync"
)

type togetherKey struct{}

// together is what questions that are asked together share.
type together struct {
	mu    sync.Mutex
	known bool
	span  span
}

// Together gives a context for the questions of one page. What time the stored runs cover is looked up once for all of them,
// so that their windows are one window although records keep coming, and the table is read once less for each.
func Together(ctx context.Context) context.Context {
	return context.WithValue(ctx, togetherKey{}, &together{})
}

// spanOnce gives what another question of the same page has looked up, or looks it up. A failure is not kept: it may be that
// of a question that was given up.
func (db *DB) spanOnce(ctx context.Context) (span, error) {
	t, ok := ctx.Value(togetherKey{}).(*together)
	if !ok {
		return db.span(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known {
		return t.span, nil
	}
	s, err := db.span(ctx)
	t.span, t.known = s, err == nil
	return s, err
}
