package ask

import (
	"context"

	"errata/metrics/stats"
)

// ShadowAgreement is how far the payload that the model saw and the one that it did not agree on what is an error.
type ShadowAgreement struct {
	Runs       int64 `json:"runs"`
	Results    int64 `json:"results"`
	BothErrors int64 `json:"both_errors"`
	NoLonger   int64 `json:"no_longer"` // an error of the payload that the model saw alone
	Newly      int64 `json:"newly"`     // an error of the other alone
	Neither    int64 `json:"neither"`

	Agreement     *float64 `json:"agreement"`
	AgreementLow  *float64 `json:"agreement_low"`
	AgreementHigh *float64 `json:"agreement_high"`
	// The share of errors by the payload that the model did not see, less that by the one that it saw.
	ErrorDifference     *float64 `json:"error_difference"`
	ErrorDifferenceLow  *float64 `json:"error_difference_low"`
	ErrorDifferenceHigh *float64 `json:"error_difference_high"`
	McNemar             *float64 `json:"mcnemar"`
	McNemarP            *float64 `json:"mcnemar_p"`
}

// agreementRow is the row of shadow_agreement.sql.
type agreementRow struct {
	Runs         int64   `ch:"runs"`
	Results      int64   `ch:"results"`
	BothErrors   int64   `ch:"both_errors"`
	NoLonger     int64   `ch:"no_longer"`
	Newly        int64   `ch:"newly"`
	Neither      int64   `ch:"neither"`
	XX           float64 `ch:"xx"`
	AgreeXY      float64 `ch:"agree_xy"`
	AgreeYY      float64 `ch:"agree_yy"`
	DifferenceXY float64 `ch:"difference_xy"`
	DifferenceYY float64 `ch:"difference_yy"`
}

// ShadowAgreement asks how far shadowed payloads agree with those that the models saw.
func (db *DB) ShadowAgreement(ctx context.Context, f Filters) (Answer[ShadowAgreement], error) {
	if len(f.By) > 0 {
		return Answer[ShadowAgreement]{}, invalid("by", "shadowed payloads cannot be grouped; leave out by")
	}
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[ShadowAgreement]{}, err
	}
	rows, q, err := read[agreementRow](ctx, db, "shadow_agreement.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[ShadowAgreement]{}, err
	}
	a := answer[ShadowAgreement](f, q)
	for _, r := range rows {
		a.Rows = append(a.Rows, r.judged())
	}
	return a, nil
}

// judged is the row with its shares and their intervals.
func (r agreementRow) judged() ShadowAgreement {
	runs, results := float64(r.Runs), float64(r.Results)
	agree := stats.Moments{Runs: runs, X: results, Y: float64(r.BothErrors + r.Neither), XX: r.XX, XY: r.AgreeXY, YY: r.AgreeYY}.Share()
	paired := stats.Moments{Runs: runs, X: results, Y: float64(r.Newly - r.NoLonger), XX: r.XX, XY: r.DifferenceXY, YY: r.DifferenceYY}.Paired()
	return ShadowAgreement{
		Runs: r.Runs, Results: r.Results, BothErrors: r.BothErrors, NoLonger: r.NoLonger, Newly: r.Newly, Neither: r.Neither,
		Agreement: agree.Value, AgreementLow: agree.Low, AgreementHigh: agree.High,
		ErrorDifference: paired.Difference, ErrorDifferenceLow: paired.Low, ErrorDifferenceHigh: paired.High,
		McNemar: paired.Statistic, McNemarP: paired.P,
	}
}
