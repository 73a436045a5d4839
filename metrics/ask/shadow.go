package ask

import (
	"context"

	"errata/transcript"
)

// Shadow is what a payload that the model did not see says in place of one that it saw. Token sums are over all Count.
type Shadow struct {
	OldTemplate        string `json:"old_template" ch:"old_template"` // "" where the consumed result was no error
	OldCode            string `json:"old_code" ch:"old_code"`
	NewCode            string `json:"new_code" ch:"new_code"` // "" where the shadowed payload is no error
	Shadow             string `json:"shadow" ch:"shadow"`     // variant of the shadowed payload
	Count              int64  `json:"count" ch:"count"`
	Runs               int64  `json:"runs" ch:"runs"`
	ExampleRun         string `json:"example_run" ch:"example_run"` // of the newest
	ErrorDisagrees     int64  `json:"error_disagrees" ch:"error_disagrees"`
	RetryableDisagrees int64  `json:"retryable_disagrees" ch:"retryable_disagrees"`
	OldBodyTokens      int64  `json:"old_body_tokens" ch:"old_body_tokens"`
	NewBodyTokens      int64  `json:"new_body_tokens" ch:"new_body_tokens"`
	// Covered says whether the new code is in the registry of codes; null without a registry or a new code.
	Covered *bool `json:"covered"`
}

// Shadow asks what shadowed payloads say in place of those that the models saw.
func (db *DB) Shadow(ctx context.Context, f Filters) (Answer[Shadow], error) {
	if len(f.By) > 0 {
		return Answer[Shadow]{}, invalid("by", "shadowed payloads cannot be grouped; leave out by")
	}
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Shadow]{}, err
	}
	p := f.parameters(db.settings)
	p.number("limit", mostErrorKinds)
	rows, q, err := read[Shadow](ctx, db, "shadow.sql", p)
	if err != nil {
		return Answer[Shadow]{}, err
	}
	a := answer[Shadow](f, q)
	for _, row := range rows {
		if db.settings.Registry != nil && row.NewCode != "" {
			_, covered := db.settings.Registry.Lookup(transcript.Code(row.NewCode))
			row.Covered = &covered
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}
