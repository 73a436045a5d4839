package ask

import "context"

// Coupling is how often agents need another tool to recover from an error: in Episodes of the Recovered ones that are
// mature.
type Coupling struct {
	Tool            string   `json:"tool"`
	Code            string   `json:"code"`
	Helper          string   `json:"helper"`
	Episodes        int64    `json:"episodes"`
	Recovered       int64    `json:"recovered"`
	Runs            int64    `json:"runs"`
	Share           *float64 `json:"share"`
	ShareLow        *float64 `json:"share_low"`
	ShareHigh       *float64 `json:"share_high"`
	Calls           int64    `json:"calls"`
	Tokens          int64    `json:"tokens"` // of the helper's results
	ValueFromHelper int64    `json:"value_from_helper"`
	NamedByError    int64    `json:"named_by_error"`
}

// couplingRow is a row of coupling.sql.
type couplingRow struct {
	moments
	Tool            string `ch:"tool"`
	Code            string `ch:"code"`
	Helper          string `ch:"helper"`
	Episodes        int64  `ch:"episodes"`
	Recovered       int64  `ch:"recovered"`
	Runs            int64  `ch:"runs"`
	Tokens          int64  `ch:"tokens"`
	Calls           int64  `ch:"calls"`
	ValueFromHelper int64  `ch:"value_from_helper"`
	NamedByError    int64  `ch:"named_by_error"`
}

// Coupling asks which other tools agents need to recover. It cannot be grouped further.
func (db *DB) Coupling(ctx context.Context, f Filters) (Answer[Coupling], error) {
	if len(f.By) > 0 {
		return Answer[Coupling]{}, invalid("by", "couplings cannot be grouped; leave out by")
	}
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Coupling]{}, err
	}
	rows, q, err := read[couplingRow](ctx, db, "coupling.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Coupling]{}, err
	}
	a := answer[Coupling](f, q)
	for _, r := range rows {
		share := r.share()
		a.Rows = append(a.Rows, Coupling{
			Tool: r.Tool, Code: r.Code, Helper: r.Helper, Episodes: r.Episodes, Recovered: r.Recovered, Runs: r.Runs,
			Share: share.Value, ShareLow: share.Low, ShareHigh: share.High,
			Calls: r.Calls, Tokens: r.Tokens, ValueFromHelper: r.ValueFromHelper, NamedByError: r.NamedByError,
		})
	}
	return a, nil
}
