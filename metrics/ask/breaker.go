package ask

import "context"

// Breaker is what a breaker would have saved that stops a tool after N failures in a row in a thread: an upper bound, had
// nothing else changed. Turns and tokens are those of recovery turns after it opened.
type Breaker struct {
	By             Group `json:"by"`
	N              int64 `json:"n"`
	TurnsSaved     int64 `json:"turns_saved"`
	TokensSaved    int64 `json:"tokens_saved"`
	RecoveriesLost int64 `json:"recoveries_lost"`
}

// breakerRow is a row of breaker.sql.
type breakerRow struct {
	group
	N              int64 `ch:"n"`
	TurnsSaved     int64 `ch:"turns_saved"`
	TokensSaved    int64 `ch:"tokens_saved"`
	RecoveriesLost int64 `ch:"recoveries_lost"`
}

// mostFailures is the greatest N that is asked about.
const mostFailures = 10

// Breaker asks what a breaker would have saved, for 1 to 10 failures in a row.
func (db *DB) Breaker(ctx context.Context, f Filters) (Answer[Breaker], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Breaker]{}, err
	}
	rows, q, err := read[breakerRow](ctx, db, "breaker.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Breaker]{}, err
	}
	a := answer[Breaker](f, q)
	if len(rows) == 0 && len(f.By) == 0 {
		for n := range int64(mostFailures) {
			rows = append(rows, breakerRow{N: n + 1})
		}
	}
	for _, row := range rows {
		a.Rows = append(a.Rows, Breaker{row.by(f.By), row.N, row.TurnsSaved, row.TokensSaved, row.RecoveriesLost})
	}
	return a, nil
}
