package ask

import "context"

// Values are the values that filters could be given, in order, as they were met; some may be empty.
type Values struct {
	Tool    []string `json:"tool" ch:"tool"`
	Code    []string `json:"code" ch:"code"`
	Variant []string `json:"variant" ch:"variant"`
	Model   []string `json:"model" ch:"model"`
	Agent   []string `json:"agent" ch:"agent"`
}

// Values asks which values filters could be given. Of the filters only the time counts.
func (db *DB) Values(ctx context.Context, f Filters) (Answer[Values], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Values]{}, err
	}
	p := parameters{}
	all := f.parameters(db.settings)
	p["from"], p["to"] = all["from"], all["to"]
	rows, q, err := read[Values](ctx, db, "values.sql", p)
	if err != nil {
		return Answer[Values]{}, err
	}
	a := answer[Values](f, q)
	a.Rows = append(a.Rows, rows...)
	return a, nil
}
