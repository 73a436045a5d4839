package ask

import "context"

// Simulated is how many runs were made by a simulator, by the attribute of that name: pages must say so.
type Simulated struct {
	Runs      int64 `json:"runs" ch:"runs"`
	Simulated int64 `json:"simulated" ch:"simulated"`
}

// Simulated asks how many of the runs are simulated. Of the filters, the time and the agent count.
func (db *DB) Simulated(ctx context.Context, f Filters) (Answer[Simulated], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Simulated]{}, err
	}
	rows, q, err := read[Simulated](ctx, db, "simulated.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Simulated]{}, err
	}
	a := answer[Simulated](f, q)
	a.Rows = append(a.Rows, rows...)
	return a, nil
}
