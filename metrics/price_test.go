package metrics

import (
	"strings"
	"testing"
	"time"

	"errata/transcript"
)

func TestPrices(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil && s != "" {
			t.Fatal(err)
		}
		return at
	}
	table := NewPrices([]Price{
		{Model: "m", Input: 1},
		{Model: "m", Input: 2, ValidFrom: day("2025-06-01")},
		{Model: "late", Input: 3, ValidFrom: day("2025-06-01")},
		{Model: "m-*", Input: 4},
		{Model: "m-mini-*", Input: 5},
		{Model: "*-free", Input: 6},
		{Model: "m-exact-2025-01-01", Input: 7},
	})
	f := func(model, at string, want float64) {
		t.Helper()
		price, ok := table.Find(model, day(at))
		if got := price.Input; got != want || ok != (want != 0) {
			t.Errorf("price of %s at %q is %v, want %v", model, at, got, want)
		}
	}
	f("m", "2025-05-31", 1)
	f("m", "2025-06-01", 2)
	f("m", "", 2) // without a time the latest
	f("late", "2025-05-31", 0)
	f("late", "2025-06-02", 3)
	f("M", "2025-05-31", 1)
	f("provider/m", "2025-05-31", 1)
	f("m-2025-01-01", "2025-05-31", 1) // a version of m, not m-*
	f("m-latest", "2025-05-31", 1)
	f("m-20250101-v1:0", "2025-05-31", 1)
	f("us.anthropic.m-20250101-v1:0", "2025-05-31", 1)
	f("m-exact-2025-01-01", "2025-05-31", 7)
	f("m-large", "2025-05-31", 4)
	f("m-mini-x", "2025-05-31", 5) // the pattern with more literal characters
	f("router/some-free", "2025-05-31", 6)
	f("n", "2025-05-31", 0)
	f("", "2025-05-31", 0)
	if _, ok := (*Prices)(nil).Find("m", time.Time{}); ok {
		t.Error("no table has a price")
	}
}

func TestCost(t *testing.T) {
	table := NewPrices([]Price{{Model: "m", Input: 2.5, CacheRead: 1.25, CacheWrite: 0.0375, Output: 10}})
	got, ok := table.Cost("m", transcript.Usage{Input: 1000, CacheRead: 100, CacheWrite: 1, Output: 3}, time.Time{})
	// 2,500,000 + 125,000 + 37.5 + 30,000 nano-dollars
	if want := int64(2_655_038); got != want || !ok {
		t.Errorf("cost is %d, want %d", got, want)
	}
}

func TestDefaultPrices(t *testing.T) {
	if _, err := ParsePrices(publicPrices); err != nil {
		t.Fatal(err)
	}
	table := DefaultPrices()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, model := range []string{
		"gpt-4o", "gpt-4o-2024-11-20", "gpt-4o-mini-2024-07-18", "gpt-4.1-mini-2025-04-14", "o3-2025-04-16", "o4-mini", "gpt-5-2025-08-07",
		"claude-3-5-sonnet-20241022", "claude-3-7-sonnet-latest", "claude-sonnet-4-20250514", "claude-opus-4-1-20250805",
		"anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-v2@20241022", "claude-haiku-4-5-20251001",
		"gemini-1.5-pro-002", "models/gemini-2.0-flash-001", "gemini-2.5-pro", "google/gemini-2.5-flash-preview-05-20",
	} {
		if _, ok := table.Find(model, now); !ok {
			t.Errorf("%s has no price", model)
		}
	}
	for _, price := range []string{"gpt-4o-audio-preview", "llama-3-70b", "gpt-4o-realtime-preview"} {
		if _, ok := table.Find(price, now); ok {
			t.Errorf("%s has the price of another model", price)
		}
	}
	for _, list := range table.names {
		for _, price := range list {
			if price.Source == "" {
				t.Errorf("the price of %s has no source", price.Model)
			}
		}
	}
}

func TestParsePrices(t *testing.T) {
	f := func(file, want string) {
		t.Helper()
		table, err := ParsePrices([]byte(file))
		switch {
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", file, err, want)
		case err == nil && want != "":
			t.Errorf("%q is accepted, want %q", file, want)
		case err == nil:
			if price, ok := table.Find("m", time.Now()); !ok || price.Input != 2 || price.CacheRead != 1 || price.CacheWrite != 2 || price.Output != 4 {
				t.Errorf("%q: %+v", file, price)
			}
		}
	}
	f(`{"prices":[{"model":"m","input":2,"cache_read":1,"output":4,"source":"s"}]}`, "")
	f(`[{"model":"m","input":2,"cache_read":1,"output":4,"valid_from":"2025-01-01"}]`, "")
	f("model,input,cache_read,cache_write,output,valid_from,source\nm,2,1,,4,,a page\n", "")
	f("Model, Input, Cache_read, Output\nm, 2, 1, 4\n", "")
	f(`[{"model":"m","input":2}]`, "output must both be given")
	f(`[{"input":2,"output":4}]`, "model is missing")
	f(`[{"model":"m","input":-2,"output":4}]`, "no price")
	f(`[{"model":"m","input":2,"output":4,"valid_from":"May"}]`, "2025-06-30")
	f(`[{"model":"m","inputs":2,"output":4}]`, "inputs")
	f("model,price\nm,2\n", "unknown column")
	f("model,input,output\nm,two,4\n", "line 2")
	f("", "column names")
}
