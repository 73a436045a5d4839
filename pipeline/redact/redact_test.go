package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"errata/metrics"
	"errata/pipeline/redact"
	"errata/transcript"
)

func TestTextByRule(t *testing.T) {
	f := func(rule, text, want string) {
		t.Helper()
		p, err := redact.Parse([]byte(`{"builtin":["` + rule + `"]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Text(text); got != want {
			t.Errorf("%s: %q becomes %q, want %q", rule, text, got, want)
		}
	}
	f("email", `write to Ann.O'Hara+x@mail.example.org, now`, `write to [email removed], now`)
	f("email", `a @ b, x@y`, `a @ b, x@y`)
	f("phone", `call +49 (30) 1234-567!`, `call [phone removed]!`)
	f("phone", `3 + 4 = 7, order 12345678`, `3 + 4 = 7, order 12345678`)
	f("card", `card 4111 1111 1111 1111.`, `card [card removed].`)
	f("card", `at 2026-11-30 ticket 123456`, `at 2026-11-30 ticket 123456`)
	f("iban", `to DE89 3704 0044 0532 0130 00 please`, `to [iban removed] please`)
	f("key", `{"token":"sk-abcdefghijklmnop1234"}`, `{"token":"[key removed]"}`)
	f("key", `the skeleton key is risk-free`, `the skeleton key is risk-free`)
	f("card", `{"card":4111111111111111,"n":5}`, `{"card":"[card removed]","n":5}`)
	f("email", `{"to":"a\u0040b.example"}`, `{"to":"[email removed]"}`)
	f("email", `{"to": "nobody",  "n": 1.50}`, `{"to": "nobody",  "n": 1.50}`)
	f("bearer", `Authorization: Bearer abc.def-123`, `Authorization: [bearer removed]`)
}

func fragment() transcript.Fragment {
	return transcript.Fragment{
		Meta: transcript.Meta{ID: "r", Attributes: map[string]string{"user": "a@b.example"}, Shadow: []transcript.Shadow{{Payload: `{"m":"a@b.example"}`}}},
		Messages: []transcript.Message{
			{Role: transcript.RoleUser, Text: "mail a@b.example"},
			{Role: transcript.RoleAssistant, Text: "I will", Reasoning: "hm", Calls: []transcript.Call{{Tool: "send", Arguments: `{"to":"a@b.example"}`}}},
			{Role: transcript.RoleTool, Results: []transcript.Result{{Body: `no such user a@b.example`, Flag: transcript.FlagError}, {Body: `{"sent":"a@b.example"}`, Flag: transcript.FlagOK}}},
		},
	}
}

func TestLevels(t *testing.T) {
	f := func(policy string, keeps, leavesOut []string) {
		t.Helper()
		p, err := redact.Parse([]byte(policy))
		if err != nil {
			t.Fatal(err)
		}
		given := fragment()
		once := p.Fragment(given, metrics.DefaultRules().Judge)
		text, _ := json.Marshal(once)
		for _, want := range keeps {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %q is missing in %s", policy, want, text)
			}
		}
		for _, not := range leavesOut {
			if strings.Contains(string(text), not) {
				t.Errorf("%s: %q is in %s", policy, not, text)
			}
		}
		if before, _ := json.Marshal(fragment()); string(before) != string(must(json.Marshal(given))) {
			t.Errorf("%s: the given fragment was changed", policy)
		}
	}
	f(`{}`, []string{"mail a@b.example", "I will", "sent"}, nil)
	f(`{"builtin":["email"]}`, []string{"mail [email removed]", "I will", "no such user [email removed]", `{\"sent\":\"[email removed]\"}`}, []string{"a@b.example"})
	f(`{"content":"calls"}`, []string{`{\"to\":\"a@b.example\"}`, "no such user", "sent"}, []string{"mail", "I will", "hm"})
	f(`{"content":"errors","builtin":["email"]}`, []string{`{\"to\":\"[email removed]\"}`, "no such user [email removed]"}, []string{"sent", "I will", "a@b.example"})
	f(`{"content":"structure"}`, []string{`\"to\":\"[removed `, `~no_such_user`}, []string{"mail", "I will", "a@b.example", "sent"})
	f(`{"rules":[{"name":"user","pattern":"no such [a-z]+"}]}`, []string{"[user removed] a@b.example"}, nil)
}

func must(text []byte, _ error) []byte { return text }

func TestMistakesInThePolicy(t *testing.T) {
	f := func(policy, want string) {
		t.Helper()
		if _, err := redact.Parse([]byte(policy)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", policy, err, want)
		}
	}
	f(`{"content":"some"}`, "everything, calls, errors or structure")
	f(`{"builtin":["names"]}`, "email, phone")
	f(`{"rules":[{"name":"x","pattern":"("}]}`, "rule 1")
	f(`{"rules":[{"name":"x","pattern":"a*"}]}`, "empty text")
	f(`{"level":"calls"}`, "level")
}

// What a result is must not change with what is kept of it.
func TestNoLevelChangesAnOutcome(t *testing.T) {
	one := 1
	grep := transcript.Call{ID: "c", Tool: "Bash", Arguments: `{"command":"grep x y"}`}
	rules := metrics.DefaultRules()
	f := func(r transcript.Result, want metrics.Outcome, code transcript.Code) {
		t.Helper()
		r.CallID = "c"
		for _, level := range []redact.Level{redact.Everything, redact.Calls, redact.Errors, redact.Structure} {
			out := redact.Policy{Level: level}.Fragment(transcript.Fragment{Messages: []transcript.Message{
				{Role: transcript.RoleAssistant, Calls: []transcript.Call{grep}}, {Role: transcript.RoleTool, Results: []transcript.Result{r}},
			}}, rules.Judge)
			kept := out.Messages[1].Results[0]
			if j := rules.Judge(out.Messages[0].Calls[0], &kept); j.Outcome != want || j.Folded != code {
				t.Errorf("%q at level %s is %s %s, want %s %s", r.Body, level, j.Outcome, j.Folded, want, code)
			}
		}
	}
	flagged := transcript.FlagError
	f(transcript.Result{Body: "<tool_use_error>Sibling tool call errored</tool_use_error>", Flag: flagged}, metrics.OutcomeCancelled, "")
	f(transcript.Result{Body: "The user doesn't want to proceed with this tool use.", Flag: flagged}, metrics.OutcomeRefused, "")
	f(transcript.Result{Body: "Exit code 1", Flag: flagged}, metrics.OutcomeOK, "")
	f(transcript.Result{Body: "", ExitCode: &one}, metrics.OutcomeOK, "")
	f(transcript.Result{Body: `{"error":{"code":"RATE_LIMITED","message":"slow down","retryable":true}}`}, metrics.OutcomeError, "rate_limited")
	f(transcript.Result{Body: `{"error":"Invalid status"}`}, metrics.OutcomeError, "~invalid_status")
	f(transcript.Result{Body: "Error: no such order 17"}, metrics.OutcomeError, "~no_such_order")
	f(transcript.Result{Body: "", Flag: flagged}, metrics.OutcomeError, "empty_error")
	f(transcript.Result{Body: "all is well"}, metrics.OutcomeOK, "")
}

// Equal arguments stay equal, others stay others: the loop rate does not change.
func TestStructureTellsEqualArgumentsFromOthers(t *testing.T) {
	hide := func(arguments string) string {
		out := redact.Policy{Level: redact.Structure}.Fragment(transcript.Fragment{Messages: []transcript.Message{
			{Calls: []transcript.Call{{Tool: "a", Arguments: arguments}}}}}, metrics.DefaultRules().Judge)
		return out.Messages[0].Calls[0].Arguments
	}
	same := func(a, b string, want bool) {
		t.Helper()
		if got := transcript.Canonical(hide(a)).JSON == transcript.Canonical(hide(b)).JSON; got != want {
			t.Errorf("%s and %s: same %v, want %v", a, b, got, want)
		}
	}
	same(`{"a":"x","n":1}`, `{"n":1.0, "a":"x"}`, true)
	same(`{"a":"x"}`, `{"a":"y"}`, false)
	same(`not json`, `not json`, true)
	same(`not json`, `other`, false)
	if got := hide(`{"name":{"first":"Ann"},"list":["b",2,true,null]}`); strings.Contains(got, "Ann") || !strings.Contains(got, `"first"`) || !strings.Contains(got, "2,true,null") {
		t.Error(got)
	}
}
