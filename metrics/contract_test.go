package metrics

import (
	"strings"
	"testing"

	"errata/transcript"
)

const testRegistry = `{"schema":"errata.codes/v1","codes":[
	{"code":"invalid_status","retryable":false,"next_action":"fix_arguments"},
	{"code":"rate_limited","retryable":true,"next_action":"retry"}]}`

func TestFindings(t *testing.T) {
	registry, err := ParseRegistry([]byte(testRegistry))
	if err != nil {
		t.Fatal(err)
	}
	rules := DefaultRules()
	f := func(registry *Registry, body string, tokens int64, want string, change ...func(*transcript.Result)) {
		t.Helper()
		r := result(body, change...)
		call := transcript.Call{Tool: "t", Arguments: `{"path":"/home/me/x.txt"}`}
		got := Findings(Examined{call, r, rules.Judge(call, r), tokens}, registry)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", body, got, want)
		}
	}
	good := `{"code":"invalid_status","message":"Not a status.","retryable":false,"field":"status","next_action":"fix_arguments"}`
	f(registry, good, 30, "")
	f(nil, good, 300, "")
	f(nil, good, 301, "body_over_budget")
	f(nil, "fine", 0, "")
	f(nil, "Error: no", 3, "not_json no_code retryable_missing")
	f(nil, "```json\n"+good+"\n```", 3, "fenced_json")
	f(nil, good, 3, "flag_disagrees", flaggedOK)
	f(registry, `{"code":"OTHER","message":"m","retryable":false}`, 3, "code_not_registered")
	f(registry, `{"code":"RATE_LIMITED","message":"m","retryable":true}`, 3, "code_case_variant")
	f(registry, `{"code":"rate_limited","message":"m","retryable":false}`, 3, "retryable_contradiction")
	f(registry, `{"code":"rate_limited","message":"m","retryable":true,"next_action":"stop"}`, 3, "next_action_unknown")
	f(nil, `{"code":"x","message":"m","retryable":true,"next_action":"dance"}`, 3, "next_action_unknown")
	f(nil, `{"code":"x","message":"m","retryable":"true"}`, 3, "retryable_not_boolean")
	f(nil, `{"code":"permission_denied","message":"m","retryable":true}`, 3, "retryable_contradiction")
	f(nil, `{"code":"validation_failed","message":"m","retryable":false}`, 3, "field_key_missing")
	f(nil, `{"code":"x","message":"m","retryable":false,"errors":[{"message":"a"}]}`, 3, "field_key_missing")
	f(nil, `{"code":"x","message":"","retryable":false}`, 3, "message_missing")
	f(nil, `{"code":"x","message":"`+strings.Repeat("é", 401)+`","retryable":false}`, 3, "message_too_long")
	f(nil, `{"code":"x","message":"`+strings.Repeat("é", 400)+`","retryable":false}`, 3, "")
	f(nil, `{"code":"x","message":"java.lang.NullPointerException","retryable":false}`, 3, "leaks_internals")
	f(nil, `{"code":"x","message":"at /usr/lib/app/x.py","retryable":false}`, 3, "leaks_internals")
	f(nil, `{"code":"x","message":"no /home/me/x.txt","retryable":false}`, 3, "")
	f(nil, `{"code":"x","message":"OPEN is no status","retryable":false,"field":"s","received":"OPEN"}`, 3, "echoes_unquoted")
	f(nil, `{"code":"x","message":"\"OPEN\" is no status","retryable":false,"field":"s","received":"OPEN"}`, 3, "")
	f(nil, `{"items":[],"has_more":true}`, 3, "promises_more")
}

func TestParseRegistryRefuses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := ParseRegistry([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	f(`{"codes":[]}`, `set it to "errata.codes/v1"`)
	f(`{"schema":"errata.codes/v1","codes":[{}]}`, "codes[0] has no code")
	f(`{"schema":"errata.codes/v1","codes":[{"code":"A_B"},{"code":"a-b"}]}`, "once more")
	f(`{"schema":"errata.codes/v1","codes":[{"code":"a","next_action":"dance"}]}`, "use one of")
	f("{\"schema\":\"errata.codes/v1\",\n\"kodes\":[]}", "line 2")
	f(`{`, "line 1")
}

func TestParseRules(t *testing.T) {
	r, err := ParseRules([]byte(`{"tools":{"bash":{"volatile":["timeout"],"threshold":0.7,"open_ended":{"/q":true}}},
		"openings":["FAIL"],"volatile":[{"pattern":"job [a-z]+"}],"min_runs":5}`))
	if err != nil {
		t.Fatal(err)
	}
	_, a := r.Identity(transcript.Call{Tool: "bash", Arguments: `{"command":"x","timeout":1}`})
	_, b := r.Identity(transcript.Call{Tool: "bash", Arguments: `{"timeout":2,"command":"x"}`})
	_, c := r.Identity(transcript.Call{Tool: "sh", Arguments: `{"timeout":2,"command":"x"}`})
	if a != b || b == c {
		t.Error("only the volatile argument of that tool should be left out")
	}
	if r.Judge(transcript.Call{}, result("FAIL: job abc is stuck")).Folded != "~fail_is_stuck" || r.Judge(transcript.Call{}, result("Error: x")).Outcome != OutcomeOK {
		t.Error("openings and volatile patterns should come from the file")
	}
	again, err := ParseRules([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.MinRuns != 5 || r.Digest() == DefaultRules().Digest() || again.Digest() != DefaultRules().Digest() {
		t.Error("the digest should tell configurations apart, and no more")
	}
}

func TestParseRulesRefuses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := ParseRules([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	f(`{"opening":["x"]}`, "mend its spelling")
	f(`{"openings":[" "]}`, "openings[0] is empty")
	f(`{"closings":["two\nlines"]}`, "closings[0]")
	f(`{"closings":[""]}`, "closings[0]")
	f(`{"refusals":["("]}`, "refusals[0] is no regular expression")
	f(`{"exit_lines":["x"]}`, "needs a group")
	f(`{"max_leaves":0}`, "max_leaves is 0: give a number from 1 to 4096")
	f(`{"max_leaves":5000}`, "max_leaves is 5000")
	f(`{"tools":{"t":{"threshold":2}}}`, "tools.t.threshold is 2")
	f(`{"tools":{"t":{"identity":["id"]}}}`, "JSON Pointer")
	f(`{"min_runs":0}`, "give 1 or more")
	f(`{"benign_exits":[{"command":"x"}]}`, "needs a command and its statuses")
	f(`{} {}`, "keep one JSON object")
}
