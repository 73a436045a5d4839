package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

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
	errored := func(r transcript.Result) bool { return r.Flag == transcript.FlagError }
	f := func(policy string, keeps, leavesOut []string) {
		t.Helper()
		p, err := redact.Parse([]byte(policy))
		if err != nil {
			t.Fatal(err)
		}
		given := fragment()
		once := p.Fragment(given, errored)
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
	f(`{"content":"some"}`, "everything, calls or errors")
	f(`{"builtin":["names"]}`, "email, phone")
	f(`{"rules":[{"name":"x","pattern":"("}]}`, "rule 1")
	f(`{"rules":[{"name":"x","pattern":"a*"}]}`, "empty text")
	f(`{"level":"calls"}`, "level")
}
