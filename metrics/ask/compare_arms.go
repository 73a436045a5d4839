package ask

import (
	"context"
	"fmt"

	"errata/metrics/stats"
)

// armsRow is the row of compare_arms.sql.
type armsRow struct {
	ARuns      int64 `ch:"a_runs"`
	BRuns      int64 `ch:"b_runs"`
	Straddling int64 `ch:"straddling"`
	AExposed   int64 `ch:"a_exposed"`
	BExposed   int64 `ch:"b_exposed"`
	ASuccess   int64 `ch:"a_success"`
	BSuccess   int64 `ch:"b_success"`
	AErrors    int64 `ch:"a_errors"`
	BErrors    int64 `ch:"b_errors"`
	ASplit     int64 `ch:"a_split"`
	BSplit     int64 `ch:"b_split"`
}

func (db *DB) readArms(ctx context.Context, p parameters) (armsRow, error) {
	rows, _, err := read[armsRow](ctx, db, "compare_arms.sql", p)
	if err != nil {
		return armsRow{}, err
	}
	if len(rows) != 1 {
		return armsRow{}, fmt.Errorf("ask compare_arms.sql: want one row, got %d", len(rows))
	}
	return rows[0], nil
}

// toolRow is a row of compare_tools.sql.
type toolRow struct {
	Arm  int64   `ch:"arm"`
	Run  int64   `ch:"run"`
	Tool string  `ch:"tool"`
	X    float64 `ch:"x"`
	Y    float64 `ch:"y"`
}

func (db *DB) readMix(ctx context.Context, p parameters) (*ToolMix, error) {
	rows, _, err := read[toolRow](ctx, db, "compare_tools.sql", p)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	var names []string
	var arms [2][]stats.ToolCount
	for _, row := range rows {
		number, ok := numbers[row.Tool]
		if !ok {
			number = len(names)
			numbers[row.Tool] = number
			names = append(names, row.Tool)
		}
		arm := &arms[row.Arm-1]
		*arm = append(*arm, stats.ToolCount{Run: int(row.Run), Tool: number, X: row.X, Y: row.Y})
	}
	mix := &ToolMix{Mix: stats.NewMix(arms[0], arms[1]), Rare: []string{}}
	for _, number := range mix.Pooled {
		mix.Rare = append(mix.Rare, names[number])
	}
	mix.Pooled = nil
	return mix, nil
}

// pairOfCohorts are the episodes of both arms.
type pairOfCohorts [2]stats.Cohort

// episodes counts those of one arm.
func (p pairOfCohorts) episodes(arm int) float64 {
	n := 0
	for _, pattern := range p[arm] {
		n += pattern.Runs * len(pattern.Outcomes)
	}
	return float64(n)
}

// cohorts are the episodes of both arms by attempts and by turns.
type cohorts struct{ attempts, turns pairOfCohorts }

// cohortRow is a row of compare_episodes.sql.
type cohortRow struct {
	Arm      int64    `ch:"arm"`
	Shape    string   `ch:"shape"`
	Outcomes []uint64 `ch:"outcomes"`
	Times    int64    `ch:"times"`
}

func (db *DB) readCohorts(ctx context.Context, p parameters) (cohorts, error) {
	var c cohorts
	rows, _, err := read[cohortRow](ctx, db, "compare_episodes.sql", p)
	if err != nil {
		return c, err
	}
	for _, row := range rows {
		pattern := recoveryRow{Outcomes: row.Outcomes, Times: row.Times}.pattern()
		to := &c.attempts[row.Arm-1]
		if row.Shape == "turns" {
			to = &c.turns[row.Arm-1]
		}
		*to = append(*to, pattern)
	}
	return c, nil
}

// descriptions are the quantiles, which have no verdict.
func (c cohorts) descriptions(attempts [2]*stats.Curve) []figure {
	turns := [2]*stats.Curve{c.turns[0].Curve(), c.turns[1].Curve()}
	var figures []figure
	for _, of := range []struct {
		unit   string
		curves [2]*stats.Curve
		counts pairOfCohorts
	}{{unitAttempts, attempts, c.attempts}, {unitTurns, turns, c.turns}} {
		for _, q := range []struct {
			name string
			at   float64
		}{{"p50", .50}, {"p90", .90}, {"p95", .95}} {
			row := Compared{
				Metric: of.unit + "_" + q.name, Role: stats.Description, Unit: of.unit,
				AN: of.counts.episodes(0), BN: of.counts.episodes(1), ARuns: of.curves[0].Runs(), BRuns: of.curves[1].Runs(),
			}
			row.quantiles(of.curves[0].Quantile(q.at).Value, of.curves[1].Quantile(q.at).Value)
			figures = append(figures, figure{Compared: row})
		}
	}
	return figures
}

// quantiles sets both arms' quantile. With a never on one side the difference is words.
func (c *Compared) quantiles(a, b stats.Number) {
	c.A, c.B = number(a), number(b)
	if c.A.Value != nil && c.B.Value != nil {
		d := *c.B.Value - *c.A.Value
		c.Difference = &d
		return
	}
	if c.A.Never != c.B.Never && a.IsKnown() && b.IsKnown() {
		c.Words = fmt.Sprintf("%s against %s", b, a)
	}
}

func number(n stats.Number) Figure {
	if i, ok := n.Int(); ok {
		value := float64(i)
		return Figure{Value: &value}
	}
	return Figure{Never: n.IsNever()}
}
