package ask

import "context"

// Strip is how the first calls of a run ended, in order: a letter for each, o(k), e(rror), r(efused), c(ancelled), p(ending).
type Strip struct {
	RunID    string `json:"run_id" ch:"run_id"`
	Outcomes string `json:"outcomes" ch:"outcomes"`
}

// Strips asks how the first calls of some runs ended, at most so many of each.
func (db *DB) Strips(ctx context.Context, runs []string, most int) (Answer[Strip], error) {
	p := parameters{}
	p.texts("runs", runs)
	p.number("most", int64(most))
	rows, q, err := read[Strip](ctx, db, "strips.sql", p)
	if err != nil {
		return Answer[Strip]{}, err
	}
	a := answer[Strip](Filters{}, q)
	a.Rows = append(a.Rows, rows...)
	return a, nil
}
