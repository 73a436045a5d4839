package catalogue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"errata/metrics"
)

// PricesPage is docs/prices.md.
func PricesPage() string {
	var b strings.Builder
	b.WriteString(pricesIntroduction)
	b.WriteString("| model | input | cache read | cache write | output | from | source |\n| --- | ---: | ---: | ---: | ---: | --- | --- |\n")
	for _, price := range metrics.DefaultPrices().All() {
		from := "always"
		if !price.ValidFrom.IsZero() {
			from = price.ValidFrom.Format(time.DateOnly)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", price.Model, dollars(price.Input), dollars(price.CacheRead),
			dollars(price.CacheWrite), dollars(price.Output), from, price.Source)
	}
	return b.String()
}

func dollars(price float64) string { return strconv.FormatFloat(price, 'f', -1, 64) }

const pricesIntroduction = `# Prices

Made from the shipped table by ` + "`go generate ./metrics/catalogue`" + `. Do not edit.

What tokens cost comes from a table. Without one of your own the public list prices below are taken, in dollars per million
tokens, without batch, priority or long-prompt tiers. They are a start: with other contracts, replace them.

` + "`ERRATA_PRICES`" + ` names a file in place of the whole table, JSON or CSV:

` + "```json" + `
{
  "prices": [
    {"model": "gpt-4o", "input": 2.5, "cache_read": 1.25, "output": 10, "valid_from": "2024-10-02", "source": "contract 17"},
    {"model": "our-model-*", "input": 0.4, "output": 1.2}
  ]
}
` + "```" + `

    model,input,cache_read,cache_write,output,valid_from,source
    gpt-4o,2.5,1.25,,10,2024-10-02,contract 17

| member | meaning |
| --- | --- |
| ` + "`model`" + ` | a name as records give it, or a pattern in which ` + "`*`" + ` stands for anything. Case does not matter |
| ` + "`input`, `output`" + ` | dollars per million tokens; both are needed. Output includes reasoning |
| ` + "`cache_read`, `cache_write`" + ` | of input read from the provider's cache, or written to it; left out: as input |
| ` + "`valid_from`" + ` | the day, in UTC, from which the price holds; left out: always. Of several the latest that holds when the turn was made counts |
| ` + "`source`" + ` | where it is from, for people |

A model is looked up by its whole name; then without the provider before a slash, a cloud's prefix and a trailing version or
date; then by the pattern that fits with the most letters. A model without a price, or one used before its first day, has tokens
and no money, and is listed as ` + "`unpriced`" + `. Money is counted in whole nano-dollars a turn, so that the parts of a shared turn
add up to it exactly. After prices changed, ` + "`ingest remine`" + ` counts anew.

## The shipped table

`
