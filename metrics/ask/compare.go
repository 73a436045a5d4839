package ask

import (
	"context"
	"time"

	"errata/metrics/stats"
)

// CompareFilters say what is compared: two payload variants, or before and after a moment. What else is filtered holds
// for both arms; the variant may only be filtered on beside a cutover.
type CompareFilters struct {
	Filters
	A, B    string    // variants; both or neither
	Cutover time.Time // zero where variants are compared
	// Split is the share of runs that was meant to get A, where runs were split at random; 0: nothing was declared.
	Split float64
	// Margin is how much task success may fall, as a share of runs; 0: stats.DefaultMargin. Set it before looking.
	Margin float64
	// Target is the number of runs at which the always-valid intervals are tightest; 0: stats.DefaultTarget. Set it
	// before looking.
	Target float64
}

// Comparison is two arms beside each other: a row for each figure, in the order of section 8, and what bears on all of
// them. Runs are in or out by their start, and counted whole.
type Comparison struct {
	Answer[Compared]
	A       string     `json:"a"`
	B       string     `json:"b"`
	Cutover *time.Time `json:"cutover"`

	// ARuns and BRuns are the runs of the arms. Straddling ones saw both payloads and are in neither; StraddlingShare is
	// their share of all.
	ARuns           int64    `json:"a_runs"`
	BRuns           int64    `json:"b_runs"`
	Straddling      int64    `json:"straddling"`
	StraddlingShare *float64 `json:"straddling_share"`

	// ASuccess and BSuccess are the shares of exposed runs that carry task success.
	ASuccess *float64 `json:"a_success_known"`
	BSuccess *float64 `json:"b_success_known"`
	Margin   float64  `json:"margin"` // of the guardrail
	Target   float64  `json:"target"` // of the always-valid intervals

	// Withheld says why no row has a verdict; empty where they have.
	Withheld []string    `json:"withheld"`
	Split    *SplitCheck `json:"split"`
	Mix      *ToolMix    `json:"mix"`
	// Mapped are the codes of one payload that count as codes of the other, by shadow records, where a code is asked about.
	Mapped []Mapping `json:"mapped"`
	// Window is the number of days on each side of the earlier moments that a cutover is held against; 0: none.
	Window int `json:"window"`
}

// Why a comparison has no verdicts.
const (
	WithheldStraddling = "straddling"  // too many runs saw both payloads
	WithheldSplit      = "split"       // the arms are not what the declared split gives
	WithheldCode       = "code_absent" // a code is asked about that only one of the arms has, and no shadow record maps
)

// SplitCheck holds the arms against the split that was declared.
type SplitCheck struct {
	Share float64 `json:"share"` // declared, of A
	ARuns int64   `json:"a_runs"`
	BRuns int64   `json:"b_runs"`
	stats.Split
}

// ToolMix is how much of the difference of the loop rate comes from tools being used differently.
type ToolMix struct {
	stats.Mix
	// Rare are the tools that were taken together, since they have too few runs in an arm.
	Rare []string `json:"rare"`
}

// Compared is one figure of both arms.
type Compared struct {
	Metric string     `json:"metric"`
	Role   stats.Role `json:"role"`
	Unit   string     `json:"unit"`
	// HigherIsBetter says which way is good; of descriptions neither is judged.
	HigherIsBetter bool `json:"higher_is_better"`

	A     Figure  `json:"a"`
	B     Figure  `json:"b"`
	AN    float64 `json:"a_n"` // units counted: errors, episodes or runs
	BN    float64 `json:"b_n"`
	ARuns float64 `json:"a_runs"` // runs with a unit
	BRuns float64 `json:"b_runs"`

	Difference *float64 `json:"difference"`
	// Words tell a difference that is no number, as of a number and a never.
	Words           string        `json:"words,omitempty"`
	Low             *float64      `json:"low"`
	High            *float64      `json:"high"`
	AlwaysValidLow  *float64      `json:"always_valid_low"`
	AlwaysValidHigh *float64      `json:"always_valid_high"`
	EValue          *float64      `json:"e_value"`
	PlaceboP        *float64      `json:"placebo_p"`
	Verdict         stats.Verdict `json:"verdict"`
	// CouldMiss is the half-width of the always-valid interval: what "no difference shown" could have missed.
	CouldMiss     *float64 `json:"could_miss"`
	Observational bool     `json:"observational"`
}

// Compare asks whether one error payload is better than another.
func (db *DB) Compare(ctx context.Context, f CompareFilters) (Comparison, error) {
	f, err := db.compared(ctx, f)
	if err != nil {
		return Comparison{}, err
	}
	p := f.compareParameters(db.settings)
	mappings, err := db.readMappings(ctx, f)
	if err != nil {
		return Comparison{}, err
	}
	codes, used := mapped(f.Code, mappings)
	p.texts("code", codes)
	rows, q, err := read[comparedRow](ctx, db, "compare.sql", p)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{
		Answer: answer[Compared](f.Filters, q), A: f.A, B: f.B, Margin: f.Margin, Target: f.Target, Withheld: []string{}, Mapped: used,
	}
	if f.watched() {
		c.Cutover = &f.Cutover
	}
	arms, err := db.readArms(ctx, p)
	if err != nil {
		return Comparison{}, err
	}
	c.describe(f, arms)
	cohorts, err := db.readCohorts(ctx, p)
	if err != nil {
		return Comparison{}, err
	}
	t := newTable(f, db.settings.IdleLimit, rows)
	c.Window = t.window()
	c.Rows = c.judged(t.figures(cohorts), f, arms)
	if len(f.Tool) != 1 {
		c.Mix, err = db.readMix(ctx, p)
	}
	return c, err
}

// describe tells what bears on all rows.
func (c *Comparison) describe(f CompareFilters, arms armsRow) {
	c.ARuns, c.BRuns, c.Straddling = arms.ARuns, arms.BRuns, arms.Straddling
	all := arms.ARuns + arms.BRuns + arms.Straddling
	c.StraddlingShare = ratio(arms.Straddling, all)
	c.ASuccess, c.BSuccess = ratio(arms.ASuccess, arms.AExposed), ratio(arms.BSuccess, arms.BExposed)
	if stats.TooManyStraddlers(int(arms.Straddling), int(all)) {
		c.Withheld = append(c.Withheld, WithheldStraddling)
	}
	if f.Split > 0 {
		check := stats.CheckSplit(int(arms.ASplit), int(arms.BSplit), f.Split)
		c.Split = &SplitCheck{Share: f.Split, ARuns: arms.ASplit, BRuns: arms.BSplit, Split: check}
		if check.Flagged {
			c.Withheld = append(c.Withheld, WithheldSplit)
		}
	}
	if len(f.Code) > 0 && (arms.AErrors == 0) != (arms.BErrors == 0) {
		c.Withheld = append(c.Withheld, WithheldCode)
	}
}

// judged gives the figures their verdicts, all together.
func (c *Comparison) judged(figures []figure, f CompareFilters, arms armsRow) []Compared {
	uneven := stats.UnevenSuccess(
		stats.Proportion{Hits: float64(arms.ASuccess), Runs: float64(arms.AExposed)},
		stats.Proportion{Hits: float64(arms.BSuccess), Runs: float64(arms.BExposed)},
	)
	page := stats.Page{Observational: f.watched(), Withheld: len(c.Withheld) > 0, Margin: f.Margin}
	for _, g := range figures {
		page.Rows = append(page.Rows, stats.Row{
			Role: g.Role, HigherIsBetter: g.HigherIsBetter, Difference: g.difference, PlaceboP: g.PlaceboP,
			Withheld: uneven && g.Role == stats.Guardrail,
		})
	}
	verdicts := page.Judge()
	rows := make([]Compared, len(figures))
	for i, g := range figures {
		rows[i] = g.Compared
		rows[i].Observational = f.watched()
		rows[i].Verdict = verdicts[i]
		if verdicts[i] == stats.NoDifferenceShown {
			rows[i].CouldMiss = g.difference.HalfWidth()
		}
	}
	return rows
}
