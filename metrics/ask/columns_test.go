package ask_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/metrics/ask"
)

var factColumn = regexp.MustCompile(`\b(calls|errors|episodes|charges|patterns|pairs|accepted|findings)\.\w+`)

// A question reads the facts that it is about and no others: there are far more calls than errors, and more columns of an
// error than any one question needs.
func TestColumnsRead(t *testing.T) {
	f := open(t)
	check := func(name string, change clickhouse.Parameters, want ...string) {
		t.Helper()
		text, _ := ask.SQL(name)
		parameters := valuesFor(text)
		maps.Copy(parameters, change)
		ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(parameters))
		read := map[string]bool{}
		for _, statement := range ask.Statements(text) {
			for _, line := range explained(ctx, t, f.Conn(), "EXPLAIN header = 1 "+statement) {
				for _, column := range factColumn.FindAllString(line, -1) {
					read[column] = true
				}
			}
		}
		slices.Sort(want)
		same(t, slices.Sorted(maps.Keys(read)), want)
	}
	of := func(fact string, columns ...string) []string {
		var names []string
		for _, column := range append([]string{"time", "tool", "code", "model", "variant"}, columns...) {
			if fact != "calls" || column != "code" {
				names = append(names, fact+"."+column)
			}
		}
		return names
	}
	ungrouped := clickhouse.Parameters{"by": "[]"}
	check("errors.sql", nil, of("errors", "template", "schema", "rule")...)
	check("findings.sql", nil, of("findings", "finding")...)
	check("recovery.sql", nil, of("episodes", "ending", "reason", "attempts", "turns")...)
	check("next_actions.sql", nil, of("errors", "label", "retryable", "next_action", "honoured")...)
	check("coupling.sql", nil, of("episodes", "ending", "helpers")...)
	check("span.sql", nil, "calls.time")
	check("loops.sql", ungrouped, slices.Concat(of("calls", "outcome"), of("errors", "label", "sanctioned", "chain"), of("patterns", "kind"))...)
}
