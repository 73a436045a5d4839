package ask

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Window is how far back a question looks where nothing else is said: 28 days up to the newest call.
const Window = 28 * 24 * time.Hour

// The times that the tables can hold.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2299, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
)

// Filters say which rows a question is about and how they are grouped. The zero value is the 28 days up to the newest
// call, ungrouped.
type Filters struct {
	From time.Time // inclusive; zero: see All
	To   time.Time // exclusive; zero: see All
	All  bool      // all time; From and To must be zero
	// Last is how far From lies before To, where From is not given; 0: Window.
	Last time.Duration
	AsOf time.Time // zero: now

	// Each list lets through any of its values, and everything where it is empty. Codes are folded, as figures are.
	Tool, Code, Variant, Model, Agent []string

	By []string // out of Dimensions, in the order asked for
}

// The dimensions that rows can be grouped by.
const (
	ByTool    = "tool"
	ByCode    = "code"
	ByVariant = "variant"
	ByModel   = "model"
	ByAgent   = "agent"
	ByDay     = "day"
	ByHour    = "hour"
	ByMinute  = "minute"
)

// Dimensions lists what rows can be grouped by.
func Dimensions() []string {
	return []string{ByTool, ByCode, ByVariant, ByModel, ByAgent, ByDay, ByHour, ByMinute}
}

// OfACode says whether only rows with a code are counted, so that fields which need other calls are unknown.
func (f Filters) OfACode() bool { return len(f.Code) > 0 || slices.Contains(f.By, ByCode) }

// overTime says whether rows are grouped by a stretch of time.
func (f Filters) overTime() bool {
	return slices.ContainsFunc(f.By, func(by string) bool { return by == ByDay || by == ByHour || by == ByMinute })
}

// MarshalJSON writes the filters as they were applied; an open end is null.
func (f Filters) MarshalJSON() ([]byte, error) {
	type values = []string
	return json.Marshal(struct {
		From    *string `json:"from"`
		To      *string `json:"to"`
		All     bool    `json:"all"`
		Tool    values  `json:"tool"`
		Code    values  `json:"code"`
		Variant values  `json:"variant"`
		Model   values  `json:"model"`
		Agent   values  `json:"agent"`
		By      values  `json:"by"`
	}{
		stamp(f.From), stamp(f.To), f.All,
		some(f.Tool), some(f.Code), some(f.Variant), some(f.Model), some(f.Agent), some(f.By),
	})
}

func list(values []string) string { return strings.Join(values, ", ") }

func some(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339Nano)
	return &text
}

// check finds what is wrong with filters before they are settled.
func (f Filters) check() error {
	if f.All && !f.From.IsZero() {
		return invalid("from", "all=1 means all time, so from cannot be given beside it; leave one of them out")
	}
	if f.All && !f.To.IsZero() {
		return invalid("to", "all=1 means all time, so to cannot be given beside it; leave one of them out")
	}
	if err := f.checkLast(); err != nil {
		return err
	}
	for name, t := range map[string]time.Time{"from": f.From, "to": f.To, "as_of": f.AsOf} {
		if !t.IsZero() && (t.Before(earliest) || t.After(latest)) {
			return invalid(name, "%s is %s; it must lie in the years 1900 to 2299", name, t.Format(time.RFC3339))
		}
	}
	if !f.From.IsZero() && !f.To.IsZero() && f.To.Before(f.From) {
		return invalid("to", "to (%s) lies before from (%s); swap them", f.To.Format(time.RFC3339), f.From.Format(time.RFC3339))
	}
	for i, by := range f.By {
		if !slices.Contains(Dimensions(), by) {
			return invalid("by", "cannot group by %q; by takes a comma list out of %s", by, list(Dimensions()))
		}
		if slices.Contains(f.By[:i], by) {
			return invalid("by", "by names %q twice; name it once", by)
		}
	}
	return nil
}

// longestLast is longer than anybody has transcripts.
const longestLast = 100 * 366 * day

func (f Filters) checkLast() error {
	switch {
	case f.Last == 0:
	case f.Last < 0 || f.Last > longestLast:
		return invalid("last", "last is %v; it must be a stretch of time above 0 and below 100 years, such as 7d", f.Last)
	case f.All:
		return invalid("last", "all=1 means all time, so last cannot be given beside it; leave one of them out")
	case !f.From.IsZero():
		return invalid("last", "from says already where the time begins; leave out last")
	}
	return nil
}

// settle fills in the defaults, for data that span the given time.
func (f Filters) settle(s span, now time.Time) Filters {
	if f.AsOf.IsZero() {
		f.AsOf = now
	}
	f.AsOf = f.AsOf.UTC().Truncate(time.Millisecond)
	f.From, f.To = ceil(f.From), ceil(f.To)
	if f.All {
		return f
	}
	if f.To.IsZero() {
		f.To = s.after(f.AsOf)
		if f.To.Before(f.From) {
			f.To = f.From
		}
	}
	if f.From.IsZero() {
		f.From = f.To.Add(-Window)
		if f.Last > 0 {
			f.From = f.To.Add(-f.Last)
		}
	}
	return f
}

// ceil rounds up to the millisecond that the tables hold, which leaves half open ranges as they are.
func ceil(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	rounded := t.UTC().Truncate(time.Millisecond)
	if rounded.Before(t) {
		return rounded.Add(time.Millisecond)
	}
	return rounded
}

// parameters gives the values of the shared fragments' placeholders.
func (f Filters) parameters(s Settings) parameters {
	p := parameters{}
	from, to := f.From, f.To
	if from.IsZero() {
		from = earliest
	}
	if to.IsZero() {
		to = latest.Add(time.Millisecond)
	}
	p.moment("from", from)
	p.moment("to", to)
	p.moment("as_of", f.AsOf)
	p.number("idle_ms", s.IdleLimit.Milliseconds())
	p.number("horizon_ms", s.LabelHorizon.Milliseconds())
	p.texts("tool", f.Tool)
	p.texts("code", f.Code)
	p.texts("variant", f.Variant)
	p.texts("model", f.Model)
	p.texts("agent", f.Agent)
	p.texts("by", f.By)
	return p
}

// Group is the values of a row's dimensions, by their names.
type Group map[string]string

// group is the columns that every grouped question has.
type group struct {
	Tool    string    `ch:"by_tool"`
	Code    string    `ch:"by_code"`
	Variant string    `ch:"by_variant"`
	Model   string    `ch:"by_model"`
	Agent   string    `ch:"by_agent"`
	Time    time.Time `ch:"by_time"`
}

// by names the group's values as they were asked for.
func (g group) by(dimensions []string) Group {
	values := make(Group, len(dimensions))
	for _, dimension := range dimensions {
		values[dimension] = g.value(dimension)
	}
	return values
}

func (g group) value(dimension string) string {
	switch dimension {
	case ByTool:
		return g.Tool
	case ByCode:
		return g.Code
	case ByVariant:
		return g.Variant
	case ByModel:
		return g.Model
	case ByAgent:
		return g.Agent
	case ByDay:
		return g.Time.UTC().Format(time.DateOnly)
	case ByHour:
		return g.Time.UTC().Truncate(time.Hour).Format(time.RFC3339)
	case ByMinute:
		return g.Time.UTC().Truncate(time.Minute).Format(time.RFC3339)
	}
	panic(fmt.Sprintf("BUG: unknown dimension %q", dimension))
}
