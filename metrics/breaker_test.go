package metrics

import (
	"reflect"
	"testing"

	"errata/transcript"
)

// Turn by turn: edit fails four times in a row, with a look in between that works, and is then repaired; later it fails
// once more and is repaired at once. The breaker's row is cut by the success.
func TestStreaksBeforeTurnsAndRecoveries(t *testing.T) {
	run := parseRun(t, `
run ended=completed
turn usage=1,0,0,0
  call a edit {"id":7,"status":"A"}
  result a error bad status
turn usage=10,0,0,0
  call b edit {"id":7,"status":"B"}
  result b error bad status
turn usage=20,0,0,0
  call c look {"id":1}
  result c fine
turn usage=30,0,0,0
  call d edit {"id":7,"status":"C"}
  result d error bad status
turn usage=40,0,0,0
  call e edit {"id":7,"status":"D"}
  result e error bad status
turn usage=50,0,0,0
  call f edit {"id":7,"status":"E"}
  result f fine
turn usage=60,0,0,0
  call g edit {"id":7,"status":"F"}
  result g error bad status
turn usage=70,0,0,0
  call h edit {"id":7,"status":"G"}
  result h fine
`)
	facts := Mine(run, Env{})
	var turns, streaks []int
	for _, c := range facts.Charges {
		turns, streaks = append(turns, c.Turn), append(streaks, c.Streak)
	}
	equal(t, "charged turns", turns, []int{2, 3, 4, 5, 6, 8})
	equal(t, "failures before them", streaks, []int{1, 2, 2, 3, 4, 1})
	if len(facts.Episodes) != 2 {
		t.Fatalf("%d episodes", len(facts.Episodes))
	}
	equal(t, "failures before the recoveries", []int{facts.Episodes[0].Streak, facts.Episodes[1].Streak}, []int{4, 1})
}

func TestShadows(t *testing.T) {
	run := parseRun(t, `
run ended=completed variant=bare
turn
  call a edit {"id":7,"status":"OPEN"}
  result a error Invalid status
turn
  call b edit {"id":7,"status":"CLOSED"}
  result b {"error":true,"code":"BUSY","message":"busy","retryable":true}
turn
  call c look {"id":1}
  result c nothing found
`)
	run.Meta.Shadow = []transcript.Shadow{
		{CallID: "a", Variant: "structured", Payload: `{"error":true,"code":"INVALID_STATUS","message":"no such status","retryable":false}`},
		{CallID: "b", Variant: "structured", Payload: `{"error":true,"code":"BUSY","message":"busy","retryable":false}`},
		{CallID: "c", Variant: "structured", Payload: `{"error":true,"code":"NOT_FOUND","message":"nothing","retryable":false}`},
		{CallID: "unknown", Variant: "structured", Payload: `{}`},
		{CallID: "", Variant: "structured", Payload: `{}`},
	}
	facts := Mine(run, Env{Tokens: lengths{}})
	if len(facts.Shadows) != 3 {
		t.Fatalf("%d shadows, want one for each known call", len(facts.Shadows))
	}
	a, b, c := facts.Shadows[0], facts.Shadows[1], facts.Shadows[2]
	equal(t, "of a failed call", []any{a.OldCode, a.OldTemplate, a.NewCode, a.ErrorDisagrees, a.RetryableDisagrees, a.Variant, a.Shadow},
		[]any{transcript.Code("~invalid_status"), "Invalid status", transcript.Code("invalid_status"), false, false, transcript.Variant("bare"), transcript.Variant("structured")})
	equal(t, "its bodies", []int64{a.OldBodyTokens, a.NewBodyTokens}, []int64{14, int64(len(run.Meta.Shadow[0].Payload))})
	equal(t, "of one that is to be sent again, or not", []any{b.NewCode, b.ErrorDisagrees, b.RetryableDisagrees}, []any{transcript.Code("busy"), false, true})
	equal(t, "of a call that worked", []any{c.OldCode, c.OldTemplate, c.NewCode, c.ErrorDisagrees}, []any{transcript.Code(""), "", transcript.Code("not_found"), true})
}

// equal compares two values as they print.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// lengths counts bytes as tokens.
type lengths struct{}

func (lengths) Count(_, text string) int64 { return int64(len(text)) }
