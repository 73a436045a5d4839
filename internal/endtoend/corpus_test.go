package endtoend_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errata/internal/simulate"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// corpus cuts the real transcripts into records as "ingest send" does. What is no transcript, or cannot be read, is left
// out: other tests look at that.
func corpus(t *testing.T) []feed.Record {
	t.Helper()
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set to the folder of real transcripts")
	}
	var records []feed.Record
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		value, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		in := dialect.Input{Value: value}
		kind, err := format.Detect(in)
		if err != nil {
			return nil
		}
		parts, _ := format.Split(in, kind, 900<<10)
		last := map[string]int{}
		for i, part := range parts {
			last[part.Key] = i
		}
		for i, part := range parts {
			if kind.WholeRuns && last[part.Key] == i {
				part.Headers[dialect.HeaderEnded] = "true"
			}
			records = append(records, feed.Record{Key: []byte(part.Key), Value: part.Value, Headers: part.Headers, Time: at.Add(time.Duration(len(records)) * time.Second)})
		}
		return nil
	})
	if err != nil || len(records) == 0 {
		t.Fatalf("read the real transcripts: %d records, %v", len(records), err)
	}
	return records
}

// Every figure of real transcripts leads to its runs too.
func TestEveryFigureOfTheCorpusLeadsToItsRuns(t *testing.T) {
	leads(t, handled(t, corpus(t), keptRejects{}))
}

// negatives are wrong names of the real transcripts that are none: what was rejected and what was accepted do not mean the
// same, however often the one follows the other. Where no value is told, all of the field's are meant.
var negatives = []struct{ why, tool, field, rejected, accepted string }{
	{"a change of mind", "update_reservation_flights", "/cabin", `"business"`, `"economy"`},
	{"identifiers", "update_reservation_flights", "/payment_id", "", ""},
	{"identifiers", "book_reservation", "/payment_methods/0/payment_id", "", ""},
	{"identifiers", "book_reservation", "/flights/0/flight_number", "", ""},
	{"a list of identifiers", "search_basic_free_for_streaming_availability", "/genre", "", ""},
	{"poll handles", "write_stdin", "/session_id", "", ""},
	{"statements", "sql", "/query", "", ""},
	{"patches", "apply_patch", "/input", "", ""},
	{"a placeholder for unknown tools", "invalid_hallucination_function_name", "", "", ""},
}

// How good the list of alias candidates is over simulated and real runs in one table is a committed figure: the planted
// aliases must all be there, and of the real ones, of which none is right, nothing.
func TestAliasesOfTheCorpus(t *testing.T) {
	records := corpus(t)
	var truths []simulate.Truth
	cfg := simulate.Demo(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	for run := range simulate.Generate(cfg) {
		truths = append(truths, run.Truth.Settled())
		records = append(records, placed(run.Records)...)
	}
	db := handled(t, records, keptRejects{})
	shown, rules := map[string]bool{}, map[string]bool{}
	answer, err := db.Aliases(t.Context(), ask.AliasFilters{Filters: everything})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		shown[nameOf(row.Level, row.Tool, row.Field, plain(row.Rejected), plain(row.Accepted))] = true
		if row.Rejected == review.AnyCase {
			rules[row.Tool+row.Field] = true
		}
	}
	planted, listed := 0, 0
	for _, c := range simulate.Candidates(truths) {
		if name := nameOf(c.Level, c.Tool, pointer(c.Field), c.Rejected, c.Accepted); c.Shown() {
			planted++
			listed += one(shown[name] || c.Kind == "case" && rules[c.Tool+pointer(c.Field)])
			delete(shown, name)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "planted %d, listed %d\nshown %d, of which planted %d\n", planted, listed, len(answer.Rows), len(answer.Rows)-len(shown))
	all, err := db.Aliases(t.Context(), ask.AliasFilters{Filters: everything, MinRuns: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range negatives {
		seen, most, let := 0, int64(0), 0
		is := func(a ask.Alias) bool {
			return a.Tool == n.tool && a.Field == n.field && (n.rejected == "" || a.Rejected == n.rejected && a.Accepted == n.accepted)
		}
		for _, a := range all.Rows {
			if is(a) {
				seen++
				most = max(most, a.Runs)
			}
		}
		for _, a := range answer.Rows {
			let += one(is(a))
		}
		fmt.Fprintf(&b, "negative: %s %s (%s): seen %v, most runs %d, shown %d\n", n.tool, n.field, n.why, seen > 0, most, let)
	}
	golden, err := os.ReadFile("testdata/aliases-corpus.golden")
	if err != nil || string(golden) != b.String() {
		t.Errorf("the quality of alias candidates is\n%swant\n%s(%v)", b.String(), golden, err)
	}
}
