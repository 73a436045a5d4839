package metrics

import (
	_ "embed"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"errata/transcript"
)

//go:embed prices.json
var publicPrices []byte

// Price is what a model's tokens cost, in dollars per million, from a day on.
type Price struct {
	Model      string    // a name, or a pattern in which * stands for anything
	Input      float64   // uncached input
	CacheRead  float64   // input read from the provider's cache
	CacheWrite float64   // input written to it
	Output     float64   // output, reasoning included
	ValidFrom  time.Time // zero: always
	Source     string
}

// Prices is a price table. A nil one has no price for any model.
//
// A model is looked up by its whole name as the record gives it; then by its plain name, without the provider before a
// slash, a cloud's region and vendor prefix and a trailing version (a date, "latest", "001", "v1:0"); then by the pattern
// with the most literal characters that matches either. Letter case does not matter. Of several prices of one name the
// latest that is valid at the time counts; of a turn without a time, the latest of all. Before its first day a model has
// no price.
type Prices struct {
	names    map[string][]Price // by ValidFrom, ascending
	patterns []string           // most literal characters first
}

// NewPrices makes a table of prices.
func NewPrices(prices []Price) *Prices {
	p := &Prices{names: map[string][]Price{}}
	for _, price := range prices {
		name := strings.ToLower(strings.TrimSpace(price.Model))
		if _, seen := p.names[name]; !seen && strings.Contains(name, "*") {
			p.patterns = append(p.patterns, name)
		}
		p.names[name] = append(p.names[name], price)
	}
	for _, list := range p.names {
		slices.SortStableFunc(list, func(a, b Price) int { return a.ValidFrom.Compare(b.ValidFrom) })
	}
	slices.SortStableFunc(p.patterns, func(a, b string) int { return literals(b) - literals(a) })
	return p
}

func literals(pattern string) int { return len(pattern) - strings.Count(pattern, "*") }

// DefaultPrices is the table of public list prices that comes with the program, each with its source. It is a start:
// users with other contracts replace it.
func DefaultPrices() *Prices {
	prices, err := ParsePrices(publicPrices)
	if err != nil {
		return NewPrices(nil) // a test reads the embedded table, so that this does not happen
	}
	return prices
}

// All lists the prices by model and first day.
func (p *Prices) All() []Price {
	if p == nil {
		return nil
	}
	var all []Price
	for _, name := range slices.Sorted(maps.Keys(p.names)) {
		all = append(all, p.names[name]...)
	}
	return all
}

// Cost is what a generation's tokens cost, in nano-dollars, rounded to the nearest.
func (p *Prices) Cost(model string, usage transcript.Usage, at time.Time) (nanoDollars int64, ok bool) {
	price, ok := p.Find(model, at)
	if !ok {
		return 0, false
	}
	return price.Cost(usage), true
}

// Cost is what tokens cost at a price, in nano-dollars, rounded to the nearest.
func (p Price) Cost(usage transcript.Usage) (nanoDollars int64) {
	// A dollar per million tokens is a thousand nano-dollars a token.
	sum := float64(usage.Input)*p.Input + float64(usage.CacheRead)*p.CacheRead +
		float64(usage.CacheWrite)*p.CacheWrite + float64(usage.Output)*p.Output
	return int64(math.Round(sum * 1000))
}

// Find looks up the price of a model at a time.
func (p *Prices) Find(model string, at time.Time) (Price, bool) {
	if p == nil {
		return Price{}, false
	}
	return validAt(p.resolve(strings.ToLower(strings.TrimSpace(model))), at)
}

// validAt picks the price of a list, by its first days, that is valid at a time.
func validAt(list []Price, at time.Time) (Price, bool) {
	if len(list) == 0 {
		return Price{}, false
	}
	if at.IsZero() {
		return list[len(list)-1], true
	}
	for _, price := range slices.Backward(list) {
		if !at.Before(price.ValidFrom) {
			return price, true
		}
	}
	return Price{}, false
}

// modelPrices remembers the prices of the models of one run, so that a name is resolved once.
type modelPrices struct {
	table *Prices
	lists map[string][]Price
}

func (m *modelPrices) cost(model string, usage transcript.Usage, at time.Time) (nanoDollars int64, ok bool) {
	if m.table == nil {
		return 0, false
	}
	list, known := m.lists[model]
	if !known {
		list = m.table.resolve(strings.ToLower(strings.TrimSpace(model)))
		m.lists[model] = list
	}
	price, ok := validAt(list, at)
	if !ok {
		return 0, false
	}
	return price.Cost(usage), true
}

func (p *Prices) resolve(model string) []Price {
	plain := modelName(model)
	for _, name := range [3]string{model, plain, withoutVersion(plain)} {
		if list, found := p.names[name]; found {
			return list
		}
	}
	for _, pattern := range p.patterns {
		if matches(pattern, model) || matches(pattern, plain) {
			return p.names[pattern]
		}
	}
	return nil
}

// modelName is a model's name without what clouds and routers put before it.
func modelName(model string) string {
	model = strings.ToLower(strings.TrimSpace(model))
	model = model[strings.LastIndexByte(model, '/')+1:]
	return cloudPrefix.ReplaceAllString(model, "")
}

// withoutVersion is a model's plain name without its trailing version.
func withoutVersion(name string) string {
	name = cloudVersion.ReplaceAllString(name, "")
	name = trailingVersion.ReplaceAllString(name, "")
	return cloudVersion.ReplaceAllString(name, "")
}

var (
	cloudPrefix     = regexp.MustCompile(`^((us|eu|apac|global|us-gov)\.)?(anthropic|openai|google)[.:]`)
	cloudVersion    = regexp.MustCompile(`-v\d+(:\d+)?$`)
	trailingVersion = regexp.MustCompile(`([-@](\d{4}-\d{2}-\d{2}|\d{8})|-latest|-\d{3})$`)
)

// matches tells whether a pattern, in which * stands for anything, matches a whole name.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}
