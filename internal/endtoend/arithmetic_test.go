package endtoend_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"errata/internal/simulate"
	"errata/metrics/ask"
)

// The arithmetic that the project started from, each on the whole path from records to answers.

// conversation writes one run as a record of OpenAI messages, a second apart.
type conversation struct {
	run, variant string
	at           time.Time
	messages     []map[string]any
	usage        map[string]any // of every turn that is written; nil: the record has none
	calls        int
}

func talk(run string) *conversation {
	c := &conversation{run: run, at: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	c.add(map[string]any{"role": "user", "content": "Go on."})
	return c
}

func (c *conversation) add(message map[string]any) {
	c.at = c.at.Add(time.Second)
	message["timestamp"] = c.at.Format(time.RFC3339)
	c.messages = append(c.messages, message)
}

// call writes a turn of one call and its result.
func (c *conversation) call(tool string, arguments, result string) {
	c.calls++
	id := fmt.Sprint("c", c.calls)
	turn := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
		map[string]any{"id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": arguments}},
	}}
	if c.usage != nil {
		turn["usage"] = c.usage
	}
	c.add(turn)
	c.add(map[string]any{"role": "tool", "tool_call_id": id, "content": result})
}

// say ends the run in words.
func (c *conversation) say(text string) {
	turn := map[string]any{"role": "assistant", "content": text}
	if c.usage != nil {
		turn["usage"] = c.usage
	}
	c.add(turn)
}

func (c *conversation) record(t *testing.T) simulate.Record {
	t.Helper()
	value, err := json.Marshal(map[string]any{
		"schema": "errata.run/v1", "run_id": c.run, "agent": "bot", "provider": "openai", "model": "gpt-4o", "variant": c.variant,
		"messages": c.messages, "ended": true, "end_reason": "completed",
	})
	if err != nil {
		t.Fatal(err)
	}
	return simulate.Record{Key: c.run, Value: value, Time: c.at}
}

// long after everything: all is mature.
var everything = ask.Filters{All: true, AsOf: time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)}

const invalid = `{"error":{"code":"INVALID_STATUS","message":"The status is not accepted.","retryable":false,"field":"status"}}`

// 200 runs, of which 68 % recover within three attempts, 24 % take four to seven and 8 % never do.
func TestTwoHundredRuns(t *testing.T) {
	var records []simulate.Record
	for i := range 200 {
		attempts := 1 + i%3 // 136 runs
		switch {
		case i >= 184:
			attempts = 0
		case i >= 136:
			attempts = 4 + i%4 // 48 runs
		}
		c := talk(fmt.Sprint("r", i))
		for n := range max(attempts, 1) {
			c.call("update_ticket", fmt.Sprintf(`{"ticket":"T-1","status":"wrong %d"}`, n), invalid)
		}
		if attempts > 0 {
			c.call("update_ticket", `{"ticket":"T-1","status":"open"}`, `{"ok":true}`)
		}
		c.say("That is all.")
		records = append(records, c.record(t))
	}
	answer, err := ingested(t, records).Recovery(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	r := answer.Rows[0]
	equal(t, "episodes", []any{r.Episodes, r.Recovered, r.Abandoned, r.Open}, []any{200, 184, 16, 0})
	for _, s := range []struct {
		name string
		got  *float64
		want float64
	}{{"within 3", r.Within3, .68}, {"4 to 7", r.From4To7, .24}, {"8 or more", r.From8, 0}, {"never", r.Never, .08}, {"unknown", r.Unknown, 0}} {
		if s.got == nil || math.Abs(*s.got-s.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", s.name, s.got, s.want)
		}
	}
	if k, ok := r.AttemptsP50.Int(); !ok || k > 3 {
		t.Errorf("P50 is %v, want at most 3", r.AttemptsP50)
	}
	if !r.AttemptsP95.IsNever() {
		t.Errorf("P95 is %v, want never", r.AttemptsP95)
	}
}

// Four turns of 2,000 tokens to repair one error, on 40 runs: 320,000 tokens, and of 40,000 runs a month a thousand times
// that. (metrics/ask asks it of 40,000 runs.)
func TestFourTurnsOfTwoThousandTokens(t *testing.T) {
	var records []simulate.Record
	for i := range 40 {
		c := talk(fmt.Sprint("r", i))
		c.usage = map[string]any{"prompt_tokens": 1900, "completion_tokens": 100, "total_tokens": 2000}
		for n := range 4 {
			c.call("update_ticket", fmt.Sprintf(`{"ticket":"T-1","status":"wrong %d"}`, n), invalid)
		}
		c.call("update_ticket", `{"ticket":"T-1","status":"open"}`, `{"ok":true}`)
		c.say("Done.") // after the recovery: not its turn
		records = append(records, c.record(t))
	}
	answer, err := ingested(t, records).Cost(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	row := answer.Rows[0]
	equal(t, "turns, tokens, per run, estimated", []any{row.RecoveryTurns, row.Tokens, *row.TurnsPerRun, *row.TokensPerRun, row.EstimatedTokens}, []any{160, 320_000, 4., 8_000., 0})
	equal(t, "of 40,000 runs a month", int64(*row.TokensPerRun*40_000), 320_000_000)
}

// Is a longer error text worth its tokens? Assumed: one call in twenty fails; a terse body has about 20 tokens and costs
// two recovery turns of 2,000 tokens of prompt; a body of 1,200 tokens more saves every second run one of the two, and is
// read in every turn after it, of which there are 19 (the rest of the run's calls). Turns have the provider's own usage,
// which the reading of the body is added to.
//
// Saved: half a turn, 1,000 tokens an error, and the terse body's own reading. Paid: 1,200 tokens in each turn that reads
// it. Already the first one costs more than is saved.
func TestALongBodyThatCostsMoreThanItSaves(t *testing.T) {
	const runs, calls, turn = 40, 20, 2000
	terse := `{"error":{"code":"INVALID_STATUS","message":"The status is not accepted.","field":"status"}}`
	lengthy := `{"error":{"code":"INVALID_STATUS","message":"` + strings.Repeat("Read on. ", 398) + `","field":"status"}}`
	var records []simulate.Record
	for i := range 2 * runs {
		c := talk(fmt.Sprint("r", i))
		body, extra, recovery := terse, 0, 2
		c.variant = "terse"
		if i >= runs {
			c.variant, body, extra = "lengthy", lengthy, 1200
			recovery = 1 + i%2
		}
		c.usage = map[string]any{"prompt_tokens": turn, "completion_tokens": 0}
		c.call("update_ticket", `{"ticket":"T-1","status":"OPEN"}`, body)
		c.usage = map[string]any{"prompt_tokens": turn + extra, "completion_tokens": 0}
		if recovery == 2 {
			c.call("get_ticket", `{"ticket":"T-1"}`, `{"status":"open"}`)
		}
		c.call("update_ticket", `{"ticket":"T-1","status":"open"}`, `{"ok":true}`)
		for c.calls < calls {
			c.call("track_shipment", fmt.Sprintf(`{"shipment":"S-%d"}`, c.calls), `{"state":"in_transit"}`)
		}
		records = append(records, c.record(t))
	}
	db := ingested(t, records)
	f := everything
	f.By = []string{ask.ByVariant}
	loops, err := db.Loops(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	waste, err := db.Waste(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]ask.Waste{}
	for _, row := range waste.Rows {
		got[row.By[ask.ByVariant]] = row
	}
	failing := int64(0)
	all := int64(0)
	for _, row := range loops.Rows {
		failing, all = failing+row.Errored, all+*row.Calls
	}
	equal(t, "share of calls that fail", float64(failing)/float64(all), .05)
	long, short := got["lengthy"], got["terse"]
	if n := *long.BodyTokensPerError; n < 1150 || n > 1250 {
		t.Fatalf("the long body has %v tokens, want about 1,200", n)
	}
	equal(t, "recovery tokens of an error", []float64{*short.RecoveryTokensPerError, *long.RecoveryTokensPerError}, []float64{2 * turn, 1.5 * (turn + 1200)})
	saved := *short.RecoveryTokensPerError - 1.5*turn // half a turn
	paid := *long.RecoveryTokensPerError - 1.5*turn
	if paid <= saved {
		t.Errorf("the long body pays %v tokens an error for %v saved: it should cost more", paid, saved)
	}
	// And the runs as a whole say so too, since later turns read it as well: 19 turns less the one saved in half of them.
	f.By = nil
	for _, variant := range []string{"terse", "lengthy"} {
		f.Variant = []string{variant}
		listed, err := db.Runs(t.Context(), ask.RunFilters{Filters: f, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, r := range listed.Rows {
			sum += r.Tokens
		}
		want := int64(runs * calls * turn)
		if variant == "lengthy" {
			want += runs * (calls - 1) * 1200
		}
		equal(t, "tokens of all runs, "+variant, sum, want)
	}
}

// Three wrong fields, told one at a time, are two turns more than told at once: two serial faults.
func TestThreeFaultsOneAtATime(t *testing.T) {
	fault := func(fields ...string) string {
		var list []string
		for _, field := range fields {
			list = append(list, fmt.Sprintf(`{"field":"/%s","code":"INVALID"}`, field))
		}
		return `{"error":{"code":"VALIDATION_FAILED","message":"Not accepted.","errors":[` + strings.Join(list, ",") + `]}}`
	}
	const a, b, c, d = `{"carrier":"x","country":"y","weight":"z"}`, `{"carrier":"dhl","country":"y","weight":"z"}`, `{"carrier":"dhl","country":"GB","weight":"z"}`, `{"carrier":"dhl","country":"GB","weight":2}`
	series := talk("series")
	series.variant = "series"
	series.call("create_shipment", a, fault("carrier"))
	series.call("create_shipment", b, fault("country"))
	series.call("create_shipment", c, fault("weight"))
	series.call("create_shipment", d, `{"ok":true}`)
	batch := talk("batch")
	batch.variant = "batch"
	batch.call("create_shipment", a, fault("carrier", "country", "weight"))
	batch.call("create_shipment", d, `{"ok":true}`)
	db := ingested(t, []simulate.Record{series.record(t), batch.record(t)})
	f := everything
	f.By = []string{ask.ByVariant}
	waste, err := db.Waste(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := db.Cost(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	recovery, err := db.Recovery(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		variant         string
		serial, turns   int64
		attempts, steps string
	}{{"batch", 0, 1, "map[1:1]", "map[1:1]"}, {"series", 2, 3, "map[3:1]", "map[3:1]"}} {
		equal(t, want.variant, []any{waste.Rows[i].By[ask.ByVariant], waste.Rows[i].SerialFaults, cost.Rows[i].RecoveryTurns, recovery.Rows[i].Attempts, recovery.Rows[i].Turns},
			[]any{want.variant, want.serial, want.turns, want.attempts, want.steps})
	}
	for _, run := range []string{"series", "batch"} { // three pairs either way
		one, err := db.Aliases(t.Context(), ask.AliasFilters{Filters: ask.Filters{All: true, AsOf: everything.AsOf, Variant: []string{run}}, MinRuns: 1})
		if err != nil {
			t.Fatal(err)
		}
		pairs := map[string]string{}
		for _, row := range one.Rows {
			pairs[row.Field] = row.Rejected + "→" + row.Accepted
		}
		equal(t, run+" pairs", pairs, map[string]string{"/carrier": `"x"→"dhl"`, "/country": `"y"→"GB"`, "/weight": `"z"→2`})
	}
}

// UK and GB are two of two letters apart, as UK and FR are: no edit distance tells that one means the other. What follows
// a rejection does, and with the third run it is shown.
func TestUKMeansGB(t *testing.T) {
	var records []simulate.Record
	for i := range 3 {
		c := talk(fmt.Sprint("r", i))
		c.call("create_shipment", fmt.Sprintf(`{"order":"O-%d","country":"UK"}`, i), `{"error":{"code":"INVALID_COUNTRY","message":"Not a country code.","field":"country","received":"UK"}}`)
		c.call("create_shipment", fmt.Sprintf(`{"order":"O-%d","country":"GB"}`, i), `{"ok":true}`)
		records = append(records, c.record(t))
	}
	few := ingested(t, records[:2])
	answer, err := few.Aliases(t.Context(), ask.AliasFilters{Filters: everything})
	if err != nil || len(answer.Rows) != 0 {
		t.Errorf("two runs show %+v, %v: want nothing below three", answer.Rows, err)
	}
	answer, err = ingested(t, records).Aliases(t.Context(), ask.AliasFilters{Filters: everything})
	if err != nil || len(answer.Rows) != 1 {
		t.Fatalf("three runs show %+v, %v: want one candidate", answer.Rows, err)
	}
	a := answer.Rows[0]
	equal(t, "candidate", []any{a.Level, a.Tool, a.Field, a.Rejected, a.Accepted, a.Kind, a.Inferred, a.Runs, a.Rivals}, []any{"value", "create_shipment", "/country", `"UK"`, `"GB"`, "alias", false, 3, 0})
	if a.AgreementLow == nil || math.Round(*a.AgreementLow*100) != 44 {
		t.Errorf("agreement_low is %v, want .44 of three runs of three", a.AgreementLow)
	}
}
