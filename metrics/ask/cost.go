package ask

import (
	"context"
	"time"
)

// Cost is what errors cost. Tokens are those of recovery turns; BodyTokens, those of the error bodies, stand beside them.
type Cost struct {
	By               Group `json:"by"`
	Runs             int64 `json:"runs"`
	Errors           int64 `json:"errors"`
	RecoveryTurns    int64 `json:"recovery_turns"`
	InputTokens      int64 `json:"input_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	Tokens           int64 `json:"tokens"`
	BodyTokens       int64 `json:"body_tokens"`

	// USD is null where nothing of it has a price. Unpriced lists the models without one in the runs counted, so that a
	// sum which lacks a part does not pass for a whole.
	USD      *float64 `json:"usd"`
	Unpriced []string `json:"unpriced"`

	// Seconds is null where no run says when things happened.
	Seconds *float64 `json:"seconds"`

	EstimatedTokens int64    `json:"estimated_tokens"`
	EstimatedShare  *float64 `json:"estimated_share"`

	// The same for each error and for each run that is counted.
	TurnsPerError   *float64 `json:"turns_per_error"`
	TokensPerError  *float64 `json:"tokens_per_error"`
	USDPerError     *float64 `json:"usd_per_error"`
	SecondsPerError *float64 `json:"seconds_per_error"`
	TurnsPerRun     *float64 `json:"turns_per_run"`
	TokensPerRun    *float64 `json:"tokens_per_run"`
	USDPerRun       *float64 `json:"usd_per_run"`
	SecondsPerRun   *float64 `json:"seconds_per_run"`

	// The projection to 30 days, from the tokens of WholeDays whole days; null under seven of them and for rows that
	// are themselves a stretch of time. CostliestShare is the share of its tokens due to the costliest 1 % of runs.
	WholeDays      int64    `json:"whole_days"`
	MonthlyTokens  *float64 `json:"monthly_tokens"`
	MonthlyUSD     *float64 `json:"monthly_usd"`
	CostliestShare *float64 `json:"costliest_share"`
}

// costRow is a row of cost.sql.
type costRow struct {
	group
	Runs             int64    `ch:"runs"`
	Errors           int64    `ch:"errors"`
	RecoveryTurns    int64    `ch:"recovery_turns"`
	InputTokens      int64    `ch:"input_tokens"`
	CacheReadTokens  int64    `ch:"cache_read_tokens"`
	CacheWriteTokens int64    `ch:"cache_write_tokens"`
	OutputTokens     int64    `ch:"output_tokens"`
	BodyTokens       int64    `ch:"body_tokens"`
	EstimatedTokens  int64    `ch:"estimated_tokens"`
	NanoUSD          int64    `ch:"nano_usd"`
	UnpricedRuns     int64    `ch:"unpriced_runs"`
	Unpriced         []string `ch:"unpriced"`
	Seconds          float64  `ch:"seconds"`
	Charges          int64    `ch:"charges"`
	TimedCharges     int64    `ch:"timed_charges"`
	DaysTokens       int64    `ch:"days_tokens"`
	DaysNanoUSD      int64    `ch:"days_nano_usd"`
	DaysRuns         int64    `ch:"days_runs"`
	CostliestTokens  int64    `ch:"costliest_tokens"`
}

// Cost asks what errors cost.
func (db *DB) Cost(ctx context.Context, f Filters) (Answer[Cost], error) {
	f, s, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Cost]{}, err
	}
	covered := s.wholeDays(f)
	p := f.parameters(db.settings)
	p.moment("days_from", covered.from)
	p.moment("days_to", covered.to)
	rows, q, err := read[costRow](ctx, db, "cost.sql", p)
	if err != nil {
		return Answer[Cost]{}, err
	}
	if len(rows) == 0 && len(f.By) == 0 {
		rows = []costRow{{}}
	}
	a := answer[Cost](f, q)
	for _, row := range rows {
		a.Rows = append(a.Rows, row.result(f, covered))
	}
	return a, nil
}

func (r costRow) result(f Filters, covered days) Cost {
	c := Cost{
		By:               r.by(f.By),
		Runs:             r.Runs,
		Errors:           r.Errors,
		RecoveryTurns:    r.RecoveryTurns,
		InputTokens:      r.InputTokens,
		CacheReadTokens:  r.CacheReadTokens,
		CacheWriteTokens: r.CacheWriteTokens,
		OutputTokens:     r.OutputTokens,
		Tokens:           r.InputTokens + r.CacheReadTokens + r.CacheWriteTokens + r.OutputTokens,
		BodyTokens:       r.BodyTokens,
		USD:              r.usd(r.NanoUSD),
		Unpriced:         some(r.Unpriced),
		EstimatedTokens:  r.EstimatedTokens,
		WholeDays:        covered.count(),
	}
	if r.TimedCharges > 0 || r.Charges == 0 {
		c.Seconds = &r.Seconds
	}
	c.EstimatedShare = ratio(r.EstimatedTokens, c.Tokens)
	c.divide()
	if covered.count() < leastDays || f.overTime() {
		return c
	}
	month := monthDays / float64(covered.count())
	tokens := float64(r.DaysTokens) * month
	c.MonthlyTokens = &tokens
	if usd := r.usd(r.DaysNanoUSD); usd != nil {
		*usd *= month
		c.MonthlyUSD = usd
	}
	c.CostliestShare = ratio(r.CostliestTokens, r.DaysTokens)
	return c
}

// divide says what one error and one run cost.
func (c *Cost) divide() {
	c.TurnsPerError, c.TurnsPerRun = ratio(c.RecoveryTurns, c.Errors), ratio(c.RecoveryTurns, c.Runs)
	c.TokensPerError, c.TokensPerRun = ratio(c.Tokens, c.Errors), ratio(c.Tokens, c.Runs)
	c.USDPerError, c.USDPerRun = each(c.USD, c.Errors), each(c.USD, c.Runs)
	c.SecondsPerError, c.SecondsPerRun = each(c.Seconds, c.Errors), each(c.Seconds, c.Runs)
}

// each is a sum's part for one of so many, null of nothing.
func each(sum *float64, of int64) *float64 {
	if sum == nil || of == 0 {
		return nil
	}
	part := *sum / float64(of)
	return &part
}

// usd is unknown where there is something to pay for and none of it has a price.
func (r costRow) usd(nano int64) *float64 {
	if r.NanoUSD == 0 && r.UnpricedRuns > 0 {
		return nil
	}
	usd := float64(nano) / 1e9
	return &usd
}

// ratio is a share, null of nothing.
func ratio(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	share := float64(part) / float64(whole)
	return &share
}

// A projection needs a whole week, since days of a week differ, and is one to a month of 30 days.
const (
	leastDays = 7
	monthDays = 30.0
)

// days is a stretch of whole UTC days, half open.
type days struct{ from, to time.Time }

func (d days) count() int64 { return int64(d.to.Sub(d.from) / day) }

const day = 24 * time.Hour

// wholeDays is the days that lie whole in the range asked for, are over at as_of, and lie between the day of the first
// and that of the last activity that is stored. An open range ends with the newest call, as the default one does.
func (s span) wholeDays(f Filters) days {
	if s.Runs == 0 {
		return days{from: f.AsOf, to: f.AsOf}
	}
	from, to := midnight(s.FirstActivity), midnight(s.LastActivity).Add(day)
	end := f.To
	if end.IsZero() {
		end = s.after(f.AsOf)
	}
	if f.AsOf.Before(end) {
		end = f.AsOf
	}
	if end = midnight(end); end.Before(to) {
		to = end
	}
	if start := midnight(f.From.Add(day - time.Nanosecond)); !f.From.IsZero() && start.After(from) {
		from = start
	}
	if to.Before(from) {
		to = from
	}
	return days{from: from, to: to}
}

func midnight(t time.Time) time.Time { return t.UTC().Truncate(day) }
