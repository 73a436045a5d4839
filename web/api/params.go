package api

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// Bounds of a query string, which goes on to the database.
const (
	maxValues = 100
	maxValue  = 1024
)

// Params reads a query string. It notes the first thing that is wrong, and which parameters were asked for, so that one
// nobody asked for is an error that names it. Read all, then ask Err.
type Params struct {
	values url.Values
	asked  map[string]bool
	err    error
}

// ReadParams begins to read the query string of a URL.
func ReadParams(u *url.URL) *Params {
	values, err := url.ParseQuery(u.RawQuery)
	p := &Params{values: values, asked: map[string]bool{}}
	if err != nil {
		p.fail("", "the query string cannot be read: %v", err)
	}
	return p
}

// Err is the first thing that is wrong, among it a parameter that nobody asked for.
func (p *Params) Err() error {
	if p.err != nil {
		return p.err
	}
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !p.asked[name] {
			known := slices.Sorted(maps.Keys(p.asked))
			message := fmt.Sprintf("there is no parameter %.100q here", name)
			if len(known) > 0 {
				message += "; there are " + strings.Join(known, ", ")
			}
			return &Error{Status: http.StatusBadRequest, Code: "unknown_parameter", Field: cut(name), Message: message}
		}
	}
	return nil
}

func (p *Params) fail(name, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{
			Status: http.StatusBadRequest, Code: ask.CodeInvalid, Field: name, Message: fmt.Sprintf(format, args...),
		}
	}
}

// Texts is every value of a parameter that may be given several times.
func (p *Params) Texts(name string) []string {
	p.asked[name] = true
	values := p.values[name]
	if len(values) > maxValues {
		p.fail(name, "%s is given %d times; at most %d are read", name, len(values), maxValues)
		return nil
	}
	for _, v := range values {
		if len(v) > maxValue {
			p.fail(name, "a value of %s has %d bytes; at most %d are read", name, len(v), maxValue)
			return nil
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// Text is the value of a parameter that may be given once; "" where it is not given.
func (p *Params) Text(name string) string {
	p.asked[name] = true
	values := p.values[name]
	switch {
	case len(values) == 0:
		return ""
	case len(values) > 1:
		p.fail(name, "%s is given %d times; give it once", name, len(values))
	case len(values[0]) > maxValue:
		p.fail(name, "%s has %d bytes; at most %d are read", name, len(values[0]), maxValue)
	default:
		return values[0]
	}
	return ""
}

// Number is the value of a whole number; 0 where it is not given.
func (p *Params) Number(name string) int {
	text := p.Text(name)
	if text == "" {
		if p.values.Has(name) {
			p.fail(name, "%s is empty; give a whole number or leave it out", name)
		}
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		p.fail(name, "%s is %.40q; it must be a whole number of 0 or more", name, text)
		return 0
	}
	return int(n)
}

// Time is the value of a moment in RFC 3339; the zero time where it is not given.
func (p *Params) Time(name string) time.Time {
	text := p.Text(name)
	if text == "" {
		if p.values.Has(name) {
			p.fail(name, "%s is empty; give a moment or leave it out", name)
		}
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		p.fail(name, "%s is %.40q; it must be RFC 3339, such as 2026-10-01T00:00:00Z (a + in it is written %%2B)", name, text)
		return time.Time{}
	}
	return t
}

// Stretch is the value of a stretch of time, such as 90m, 6h, 7d or 4w; 0 where it is not given.
func (p *Params) Stretch(name string) time.Duration {
	text := p.Text(name)
	if text == "" {
		if p.values.Has(name) {
			p.fail(name, "%s is empty; give a stretch of time or leave it out", name)
		}
		return 0
	}
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	unit := units[text[len(text)-1]]
	n, err := strconv.ParseInt(text[:len(text)-1], 10, 32)
	if err != nil || unit == 0 || n < 1 || n > int64(math.MaxInt64/unit) {
		p.fail(name, "%s is %.40q; it must be a number of minutes, hours, days or weeks, such as 90m, 6h, 7d or 4w", name, text)
		return 0
	}
	return time.Duration(n) * unit
}

// Filters reads the filters that every question has.
func (p *Params) Filters() ask.Filters {
	f := ask.Filters{
		From:    p.Time("from"),
		To:      p.Time("to"),
		AsOf:    p.Time("as_of"),
		Last:    p.Stretch("last"),
		Tool:    p.Texts("tool"),
		Code:    p.codes(),
		Variant: p.Texts("variant"),
		Model:   p.Texts("model"),
		Agent:   p.Texts("agent"),
	}
	switch all := p.Text("all"); all {
	case "1", "true":
		f.All = true
	case "", "0", "false":
	default:
		p.fail("all", "all is %.40q; it must be 1 for all time, or left out", all)
	}
	if by := p.Text("by"); by != "" {
		f.By = strings.Split(by, ",")
	}
	return f
}

// Evidence reads what runs may be asked for beside the common filters.
func (p *Params) Evidence() ask.Evidence {
	return ask.Evidence{
		Outcome: p.Texts("outcome"), Pattern: p.Texts("pattern"), Finding: p.Texts("finding"), Rule: p.Texts("rule"),
		Obeyed: p.Texts("obeyed"), Honoured: p.Texts("honoured"), Reason: p.Texts("reason"), Helper: p.Texts("helper"),
		Waste: p.Texts("waste"), StreakMin: p.Number("streak_min"),
	}
}

// codes folds codes as figures are grouped by them.
func (p *Params) codes() []string {
	var codes []string
	for _, code := range p.Texts("code") {
		codes = append(codes, string(metrics.Fold(transcript.Code(code))))
	}
	return codes
}

// cut shortens a text of a request that goes back in an error.
func cut(text string) string {
	const most = 100
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}
