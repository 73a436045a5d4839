package ask

import "context"

// Finding is one way in which error payloads break their contract.
type Finding struct {
	By         Group  `json:"by"`
	Finding    string `json:"finding"`
	Count      int64  `json:"count"`
	Runs       int64  `json:"runs"`
	ExampleRun string `json:"example_run"` // of the newest
}

// findingRow is a row of findings.sql.
type findingRow struct {
	group
	Finding    string `ch:"finding"`
	Count      int64  `ch:"count"`
	Runs       int64  `ch:"runs"`
	ExampleRun string `ch:"example_run"`
}

// Findings asks where error payloads break their contract. Only what was found is a row.
func (db *DB) Findings(ctx context.Context, f Filters) (Answer[Finding], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Finding]{}, err
	}
	rows, q, err := read[findingRow](ctx, db, "findings.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Finding]{}, err
	}
	a := answer[Finding](f, q)
	for _, r := range rows {
		a.Rows = append(a.Rows, Finding{By: r.by(f.By), Finding: r.Finding, Count: r.Count, Runs: r.Runs, ExampleRun: r.ExampleRun})
	}
	return a, nil
}
