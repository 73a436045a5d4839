package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errata/pipeline/feed"
	"errata/pipeline/redact"
)

// A secret is in no column of any table, nor on the rejects topic; what became of the calls is known all the same.
func TestNoSecretIsStoredOrPublished(t *testing.T) {
	const secret = "ann@corp.example"
	run := func(id string) string {
		return fmt.Sprintf(`{"schema":"errata.run/v1","run_id":%q,"attributes":{"user":"ann@corp.example"},"messages":[
			{"role":"user","content":"I am ann@corp.example"},
			{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"find","arguments":"{\"mail\":\"ann@corp.example\"}"}}]},
			{"role":"tool","tool_call_id":"1","content":"Error: no such user ann@corp.example"},
			{"role":"assistant","tool_calls":[{"id":"2","type":"function","function":{"name":"find","arguments":"{\"mail\":\"ann@corp.example\"}"}}]},
			{"role":"tool","tool_call_id":"2","content":"Error: no such user ann@corp.example"}],"ended":true}`, id)
	}
	f := func(policy string, published int) {
		t.Helper()
		w := newWorld(t)
		p, err := redact.Parse([]byte(policy))
		if err != nil {
			t.Fatal(err)
		}
		w.cfg.Redact = p
		at := time.Unix(1_790_000_000, 0).UTC()
		w.handle(w.pipeline(), []feed.Record{
			{Offset: 0, Value: []byte(run("r")), Time: at},
			{Offset: 1, Value: []byte(`{"schema":"errata.run/v1","run_id":5,"messages":["ann@corp.example"]}`), Time: at},
			{Offset: 2, Value: []byte(`ann@corp.example is no JSON`), Time: at},
		})
		for _, table := range []string{"runs", "transcripts", "rejects"} {
			rows := w.rows("SELECT toString(tuple(*)) FROM " + table)
			if len(rows) == 0 || strings.Contains(strings.Join(rows, "\n"), secret) {
				t.Errorf("%s: of %d rows of %s some hold the secret: %s", policy, len(rows), table, rows)
			}
		}
		for _, r := range w.rejects.rejects {
			if strings.Contains(string(r.Record.Value)+r.Message, secret) || (len(r.Record.Value) > 0) != (published > 0) {
				t.Errorf("%s: published %q, %s", policy, r.Record.Value, r.Message)
			}
		}
		if got := w.rows("SELECT toString((errors.label, episodes.ending)) FROM runs FINAL"); got[0] != "(['repeat','ended'],['abandoned'])" {
			t.Errorf("%s: the facts are %s", policy, got)
		}
	}
	f(`{"builtin":["email"]}`, 1)
	f(`{"builtin":["email"],"content":"errors"}`, 0)
}
