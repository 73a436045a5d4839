package ask_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// placeholder is a typed parameter of a question.
var placeholder = regexp.MustCompile(`\{(\w+):([^}]+)\}`)

// valuesFor gives every placeholder of a text a value of its type.
func valuesFor(text string) clickhouse.Parameters {
	parameters := clickhouse.Parameters{}
	for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
		name, kind := found[1], found[2]
		switch {
		case strings.HasPrefix(kind, "Array"):
			parameters[name] = "[]"
		case strings.HasPrefix(kind, "DateTime64"):
			parameters[name] = "2026-10-01 00:00:00.000"
		case kind == "Bool":
			parameters[name] = "false"
		case kind == "String":
			parameters[name] = "value"
		default:
			parameters[name] = "1"
		}
	}
	return parameters
}

// explained gives the lines of a plan.
func explained(ctx context.Context, t *testing.T, conn driver.Conn, text string) []string {
	t.Helper()
	rows, err := conn.Query(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// Every question is understood by the engine with the tables as they are, says what it asks, and has nothing left of the
// template language.
func TestEveryQuestion(t *testing.T) {
	f := open(t)
	check := func(name, text string) {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(text, "-- ") || !strings.Contains(strings.SplitN(text, "\n", 2)[0], "?") {
				t.Errorf("%s does not begin with a comment that asks its question", name)
			}
			if strings.Contains(text, "{{") {
				t.Errorf("%s holds an action of the template language", name)
			}
			ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(valuesFor(text)))
			for i, statement := range ask.Statements(text) {
				if plan := explained(ctx, t, f.Conn(), "EXPLAIN "+statement); len(plan) == 0 {
					t.Errorf("no plan of statement %d", i)
				}
			}
		})
	}
	for _, name := range ask.Names() {
		text, _ := ask.SQL(name)
		check(name, text)
	}
	for _, name := range review.Names() {
		text, ok := review.SQL(name)
		if !ok {
			t.Errorf("there is no %s", name)
		}
		check(name, text)
	}
}

func TestSettingsNameWhatIsWrong(t *testing.T) {
	for _, spoil := range []func(*ask.Settings){
		func(s *ask.Settings) { s.IdleLimit = 0 },
		func(s *ask.Settings) { s.LabelHorizon = -time.Second },
		func(s *ask.Settings) { s.Timeout = 0 },
		func(s *ask.Settings) { s.Rules = nil },
		func(s *ask.Settings) { s.Now = nil },
	} {
		s := ask.DefaultSettings()
		spoil(&s)
		if _, err := ask.Open("http://default@127.0.0.1:1/errata", s); err == nil {
			t.Errorf("%+v opens", s)
		}
	}
	if _, err := ask.Open("no dsn", ask.DefaultSettings()); err == nil {
		t.Error("a DSN that is none opens")
	}
}
