package ask

import "context"

// Waste is what a better error payload would have saved: faults that came one at a time, arguments that changed without
// being named, and tokens per errored call.
type Waste struct {
	By                     Group    `json:"by"`
	Runs                   int64    `json:"runs"`
	Episodes               int64    `json:"episodes"`
	SerialFaults           int64    `json:"serial_faults"`
	CollateralChanged      int64    `json:"collateral_changed"`
	CollateralRejected     int64    `json:"collateral_rejected"`
	Errors                 int64    `json:"errors"`
	BodyTokens             int64    `json:"body_tokens"`
	RecoveryTokens         int64    `json:"recovery_tokens"`
	BodyTokensPerError     *float64 `json:"body_tokens_per_error"`
	RecoveryTokensPerError *float64 `json:"recovery_tokens_per_error"`
}

// wasteRow is a row of waste.sql.
type wasteRow struct {
	group
	Runs               int64 `ch:"runs"`
	Episodes           int64 `ch:"episodes"`
	SerialFaults       int64 `ch:"serial_faults"`
	CollateralChanged  int64 `ch:"collateral_changed"`
	CollateralRejected int64 `ch:"collateral_rejected"`
	Errors             int64 `ch:"errors"`
	BodyTokens         int64 `ch:"body_tokens"`
	RecoveryTokens     int64 `ch:"recovery_tokens"`
}

// Waste asks what errors waste.
func (db *DB) Waste(ctx context.Context, f Filters) (Answer[Waste], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Waste]{}, err
	}
	rows, q, err := read[wasteRow](ctx, db, "waste.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Waste]{}, err
	}
	if len(rows) == 0 && len(f.By) == 0 {
		rows = []wasteRow{{}}
	}
	a := answer[Waste](f, q)
	for _, r := range rows {
		a.Rows = append(a.Rows, Waste{
			By: r.by(f.By), Runs: r.Runs, Episodes: r.Episodes, SerialFaults: r.SerialFaults,
			CollateralChanged: r.CollateralChanged, CollateralRejected: r.CollateralRejected,
			Errors: r.Errors, BodyTokens: r.BodyTokens, RecoveryTokens: r.RecoveryTokens,
			BodyTokensPerError: ratio(r.BodyTokens, r.Errors), RecoveryTokensPerError: ratio(r.RecoveryTokens, r.Errors),
		})
	}
	return a, nil
}
