package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// charge is one recovery turn of the given tokens of uncached input at t0 plus the given time.
func charge(at time.Duration, code transcript.Code, input int64) metrics.ChargeFact {
	return metrics.ChargeFact{
		Time: t0.Add(at), Tool: "search", Code: code, Model: "gpt", Variant: "plain", Turns: 1,
		Usage: transcript.Usage{Input: input},
	}
}

// Worked example 11: 4 recovery turns of 2,000 tokens on 40,000 runs a month are 320 million tokens a month. Here on
// 4 runs, spread over 30 whole days: a ten thousandth of it.
func TestCostOfAMonth(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	for i := range 4 {
		at := time.Duration(i)*9*24*time.Hour + 12*time.Hour
		r := run(fmt.Sprint("r", i), at)
		r.Run.Started = t0.Add(at)
		r.Calls = []metrics.CallFact{failed(at, "search", "bad", metrics.LabelCorrected)}
		for turn := range 4 {
			r.Charges = append(r.Charges, charge(at+time.Duration(turn)*time.Second, "bad", 2000))
		}
		runs = append(runs, r)
	}
	f.put(runs...)
	a, err := f.Cost(t.Context(), ask.Filters{From: t0, To: t0.Add(30 * 24 * time.Hour)})
	row := only(t, a, err)
	same(t, row.WholeDays, 28) // the newest activity is on day 28: days without data behind it are not covered
	same(t, row.Tokens, 32_000)
	same(t, *row.MonthlyTokens, 32_000.*30/28)
}
