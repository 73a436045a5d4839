package ask_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// values are those of every placeholder that a question has.
var values = clickhouse.Parameters{
	"from": "2026-10-01 00:00:00.000", "to": "2026-10-29 00:00:00.000", "as_of": "2026-10-29 00:00:00.000",
	"days_from": "2026-10-01 00:00:00.000", "days_to": "2026-10-29 00:00:00.000",
	"idle_ms": "1800000", "horizon_ms": "300000",
	"tool": "[]", "code": "[]", "variant": "[]", "model": "[]", "agent": "[]", "by": "['tool','code','day']",
	"min_runs": "3", "rule": "[]", "kind": "[]", "level": "[]", "state": "[]", "imported": "imported",
	"label": "[]", "ending": "[]", "attempts_min": "0", "of_calls": "false", "of_starts": "true",
	"sort": "started_at", "descending": "true", "paged": "false", "cursor_key": "0", "cursor_run": "", "limit": "10",
	"run": "r", "field": "/f", "rejected": "a", "accepted": "b",
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
			parameters := clickhouse.Parameters{}
			for name, value := range values {
				parameters[name] = value
			}
			if name == "newest.sql" {
				parameters["level"], parameters["tool"] = "value", "t"
			}
			ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(parameters))
			var plan []string
			rows, err := f.Conn().Query(ctx, "EXPLAIN "+text)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var line string
				if err := rows.Scan(&line); err != nil {
					t.Fatal(err)
				}
				plan = append(plan, line)
			}
			if err := rows.Err(); err != nil || len(plan) == 0 {
				t.Errorf("no plan: %v", err)
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
