package metrics

import (
	"strings"
	"testing"

	"errata/transcript"
)

// result makes a result of a body.
func result(body string, change ...func(*transcript.Result)) *transcript.Result {
	r := &transcript.Result{Body: body}
	for _, c := range change {
		c(r)
	}
	return r
}

func flagged(r *transcript.Result)   { r.Flag = transcript.FlagError }
func flaggedOK(r *transcript.Result) { r.Flag = transcript.FlagOK }
func exited(status int) func(*transcript.Result) {
	return func(r *transcript.Result) { r.ExitCode = &status }
}
func fated(fate transcript.Fate) func(*transcript.Result) {
	return func(r *transcript.Result) { r.Fate = fate }
}

func shell(command string) transcript.Call {
	return transcript.Call{Tool: "bash", Arguments: `{"command":` + transcript.CanonicalString(command) + `}`}
}

func TestJudgeRules(t *testing.T) {
	rules := DefaultRules()
	f := func(call transcript.Call, r *transcript.Result, outcome Outcome, rule string, code transcript.Code) {
		t.Helper()
		got := rules.Judge(call, r)
		if got.Outcome != outcome || got.Rule != rule || got.Folded != code {
			t.Errorf("%+v: %s by %q, code %q; want %s by %q, code %q", r, got.Outcome, got.Rule, got.Folded, outcome, rule, code)
		}
	}
	call := transcript.Call{Tool: "t"}

	f(call, nil, OutcomePending, "no_result", "")
	f(call, result(""), OutcomeOK, "", "")
	f(call, result(`{"status":"open"}`), OutcomeOK, "", "")
	f(call, result("error.go\nerrors_test.go"), OutcomeOK, "", "")
	f(call, result("Exceptional weather"), OutcomeOK, "", "")

	// Rule 1, however the log flags it (hard cases B).
	f(call, result("x", fated(transcript.FateRefused), flagged), OutcomeRefused, "refused", "")
	f(call, result("x", fated(transcript.FateCancelled), flagged), OutcomeCancelled, "cancelled", "")
	f(call, result("still running", fated(transcript.FateRunning)), OutcomeOK, "running", "")
	f(call, result("", exited(-1)), OutcomeOK, "running", "")
	f(call, result("<tool_use_error>Sibling tool call errored</tool_use_error>", flagged), OutcomeCancelled, "cancelled_text", "")
	f(call, result("<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>", flagged), OutcomeCancelled, "cancelled_text", "")
	f(call, result("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, …", flagged), OutcomeRefused, "refused_text", "")
	f(call, result("[Request interrupted by user for tool use]", flagged), OutcomeCancelled, "cancelled_text", "")
	f(call, result("denied by user", flagged), OutcomeRefused, "refused_text", "")
	f(call, result("exec command rejected by user", flagged), OutcomeRefused, "refused_text", "")
	f(call, result(`{"error":"Tool call denied by user"}`), OutcomeRefused, "refused_text", "")
	f(call, result("The tool call was cancelled.", flagged), OutcomeCancelled, "cancelled_text", "")
	f(call, result("The order was cancelled by user request", flagged), OutcomeError, "flag", "~the_order_was_cancelled_by_user_request")
	f(call, result("Payment declined by the user's bank", flagged), OutcomeError, "flag", "~payment_declined_by_the_users_bank")
	f(shell("grep -r foo ."), result("Command exited with code 1", flagged), OutcomeOK, "benign_exit", "")
	f(shell("cat a | grep foo"), result("Exit code 1", flagged), OutcomeOK, "benign_exit", "")
	f(shell("cd x && /usr/bin/rg 'a|b' ."), result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(shell("diff a b"), result("1c1\n< error\n---\n> fatal", exited(1), flagged), OutcomeOK, "benign_exit", "")
	f(shell("git diff --quiet"), result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(shell("[ -f x ]"), result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(transcript.Call{Tool: "shell", Arguments: `{"cmd":["bash","-lc","cmp a b"]}`}, result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(transcript.Call{Tool: "shell", Arguments: `{"command":["grep","x","y"]}`}, result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(shell("grep foo nofile"), result("grep: nofile: No such file or directory", exited(2)), OutcomeError, "exit_status", "~grep_nofile_no_such_file_or_directory")
	f(shell("grep foo nofile"), result("grep: nofile: No such file or directory", exited(1)), OutcomeError, "exit_status", "~grep_nofile_no_such_file_or_directory")
	f(shell("grep foo x | wc -l"), result("", exited(1)), OutcomeError, "exit_status", "empty_error")
	f(shell("make"), result("Exit code 1", flagged), OutcomeError, "flag", "~exit_code")

	// Rule 2 (hard cases E).
	f(call, result("Invalid status", flagged), OutcomeError, "flag", "~invalid_status")
	f(call, result(" ", flagged), OutcomeError, "flag", "empty_error")
	f(call, result("fine", func(r *transcript.Result) { r.ErrorType = "ToolError" }), OutcomeError, "error_type", "~fine")
	f(call, result("no", exited(2)), OutcomeError, "exit_status", "~no")
	f(call, result("yes", exited(0)), OutcomeOK, "", "")

	// Rule 3.
	f(call, result(`{"ok":false}`), OutcomeError, "body_ok_false", "~ok_false")
	f(call, result(`{"success":false,"message":"No seats"}`), OutcomeError, "body_success_false", "~no_seats")
	f(call, result(`{"error":"Invalid status"}`), OutcomeError, "body_error", "~invalid_status")
	f(call, result(`{"content":[{"type":"text","text":"boom"}],"isError":true}`), OutcomeError, "body_is_error", "~boom")
	f(call, result(`{"errors":["a b"]}`), OutcomeError, "body_errors", "~a_b")
	f(call, result(`{"error_code":"RATE_LIMITED"}`), OutcomeError, "body_error_code", "rate_limited")
	f(call, result(`{"type":"https://x.example/out-of-credit","title":"t","status":403}`), OutcomeError, "body_problem_details", "out_of_credit")
	f(call, result(`{"code":"InvalidStatus","message":"m","retryable":false}`), OutcomeError, "body_code_message_retryable", "invalid_status")
	f(call, result(`{"statusCode":503,"message":"Down"}`), OutcomeError, "body_status_number", "~down")

	// Rule 4.
	f(call, result("  Error: gift card balance is not enough"), OutcomeError, "opening", "~gift_card_balance_is_not_enough")
	f(call, result("<tool_use_error>InputValidationError: x is required</tool_use_error>"), OutcomeError, "opening", "~inputvalidationerror_x_is_required")
	f(call, result("Error invoking tool 'run' with kwargs {'id': 7} with error:\n id: wrong\n Please fix the error and try again."), OutcomeError, "opening", "~id_wrong")
	f(call, result("An error occurred while running the tool. Please try again. Error: no stock"), OutcomeError, "opening", "~no_stock")
	f(call, result("An error occurred while running the tool. Please try again."), OutcomeError, "opening", "~an_error_occurred_while_running_the_tool_please_try_again")
	f(call, result("An error occurred while parsing tool arguments. Please try again with valid JSON. Error: no value"), OutcomeError, "opening", "~no_value")
	f(call, result("MCP error -32602: unknown tool"), OutcomeError, "opening", "~unknown_tool")
	f(call, result("The tool execution failed with the following error:\n<error>\nMissing value\n</error>"), OutcomeError, "opening", "~missing_value")
	f(call, result("Unknown city. Call again with city=\"NYC\".\n\nFix the errors and try again.\n"), OutcomeError, "closing", "~unknown_city_call_again_with_city")
	f(call, result("1 validation error:\n```json\n[{\"type\": \"extra_forbidden\", \"loc\": [\"foo\"]}]\n```\n\nFix the errors and try again."), OutcomeError, "closing", "~validation_error")
	f(call, result("The form says: Fix the errors and try again."), OutcomeOK, "", "")
	f(call, result("Fix the errors and try again.\nThat is what the log said."), OutcomeOK, "", "")
	f(call, result("x = 1\nFix the errors and try again."), OutcomeOK, "", "")
	f(call, result("messages:\n- content: |-\n    Unknown city.\n\n    Fix the errors and try again."), OutcomeOK, "", "")
	f(call, result("Errors in invoking tools are rare."), OutcomeOK, "", "")
	f(call, result("Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: bad 7"), OutcomeError, "opening", "~valueerror_bad")
	f(call, result("Exit code 128\nfatal: unable to read e53647ba1f1e5203bedff558b482f178db045555"), OutcomeError, "exit_line", "~fatal_unable_to_read")
	f(call, result("some output\nProcess exited with code 2"), OutcomeError, "exit_line", "~process_exited_with_code")
	f(call, result("Chunk ID: ab\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nboom failed"), OutcomeError, "exit_line", "~boom_failed")
	f(call, result("Output: x\nError: (none)\nExit Code: 2\nSignal: (none)"), OutcomeError, "exit_line", "~exit_code")
	f(call, result("Process exited with code 0\nOutput:\nerror: no"), OutcomeOK, "", "")
	f(call, result("exitcode: 1 (execution failed)\nCode output: boom"), OutcomeError, "exit_line", "~exitcode_execution_failed")
	f(call, result("exitcode: 1 (execution failed)\nCode output: Traceback (most recent call last):\n  File \"a.py\", line 8\nTypeError: 'NoneType' object is not iterable\nSearch Result 1:\nerror pages"),
		OutcomeError, "exit_line", "~typeerror_object_is_not_iterable")
	f(call, result("exitcode: 1 (execution failed)\nCode output:   File \"a.py\", line 1\n    x = 1,015\n        ^\nSyntaxError: leading zeros are not permitted"),
		OutcomeError, "exit_line", "~syntaxerror_leading_zeros_are_not_permitted")
	f(call, result("exitcode: 124 (execution failed)\nCode output: \nTimeout"), OutcomeError, "exit_line", "~timeout")
	f(call, result("<returncode>2</returncode>\n<output>\nmake: no rule\nld: cannot find -lx\n</output>"), OutcomeError, "exit_line", "~ld_cannot_find_lx")
	f(call, result("<returncode>1</returncode>\n<output>\n1 passed\n</output>"), OutcomeError, "exit_line", "~returncode")
	f(call, result("bash: jq: command not found\n<shellId: 3 completed with exit code 127>"), OutcomeError, "exit_line", "~bash_jq_command_not_found")
	f(call, result("Error: Command failed (exit code: 1)\nls: /x: No such file\n\n[Process exited with code 1]"), OutcomeError, "opening", "~ls_no_such_file")
	f(call, result("Cell In[3], line 2\n      1 import re\n----> 2 re.x\n\nAttributeError: module 're' has no attribute 'x'", flagged), OutcomeError, "flag", "~attributeerror_module_has_no_attribute")
	f(call, result("Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 5\nhttp.client.HTTPException: gone"),
		OutcomeError, "opening", "~http_client_httpexception_gone")
	f(call, result(`{"output":"make: no rule\nld: cannot find -lx","exit_code":2,"error":null}`, exited(2)), OutcomeError, "exit_status", "~ld_cannot_find_lx")
	f(call, result(`{"stdout":"1 passed","stderr":"","exitCode":3}`, exited(3)), OutcomeError, "exit_status", "~exit_code")
	f(transcript.Call{Tool: "run_command", Arguments: `{"CommandLine":"grep x y"}`}, result("", exited(1)), OutcomeOK, "benign_exit", "")
	f(call, result("the docs say: exit code 1 means failure\nand more\nand more"), OutcomeOK, "", "")
}

func TestJudgeNotesWhatElseIsTold(t *testing.T) {
	rules := DefaultRules()
	call := transcript.Call{Tool: "search"}
	if j := rules.Judge(call, result(`{"error":"x y"}`, flaggedOK)); !j.FlagDisagrees {
		t.Error("a flag of success beside an error in the body should be told")
	}
	if j := rules.Judge(call, result(`{"error":"x y"}`)); j.FlagDisagrees {
		t.Error("no flag disagrees with nothing")
	}
	spoke := func(body string, want bool) {
		t.Helper()
		if j := rules.Judge(call, result(body, flagged)); j.UserSpoke != want {
			t.Errorf("%s: user spoke: %v", body, j.UserSpoke)
		}
	}
	spoke("[Request interrupted by user]", true)
	spoke("User rejected the edit", true)
	spoke("Sibling tool call errored", false)
	none := func(body string, want bool) {
		t.Helper()
		if j := rules.Judge(call, result(body, flagged)); j.NoSuchTool != want || j.Outcome != OutcomeError {
			t.Errorf("%s: no such tool: %v, %s", body, j.NoSuchTool, j.Outcome)
		}
	}
	none("<tool_use_error>Error: No such tool available: search</tool_use_error>", true)
	none("Unknown tool: search", true)
	none("Tool 'search' not found", true)
	none("Error: search is not a valid tool, try one of [grep, read].", true)
	none(`Tool "search" not found in registry.`, true)
	none("Tool not found", true)
	none(`{"error":{"code":"unknown_tool","message":"x"}}`, true)
	none(`Tool ticket 7 was not found in the list of tickets that you may see`, false)
	none("File not found: search", false)
	if j := rules.Judge(transcript.Call{Tool: "invalid", Unknown: true}, result("x", flagged)); !j.NoSuchTool {
		t.Error("the harness's own placeholder tells that there is no such tool")
	}
}

func TestCounterDoesNotSplitACode(t *testing.T) {
	rules := DefaultRules()
	var codes []transcript.Code
	for _, n := range []string{"1", "2", "85"} {
		body := `{"error":"tool_call requires a 'name' argument"}` + "\n[... count=" + n + " ...]"
		codes = append(codes, rules.Judge(transcript.Call{}, result(body)).Folded)
	}
	if codes[0] != "~tool_call_requires_a_argument" || codes[1] != codes[0] || codes[2] != codes[0] {
		t.Errorf("codes %v", codes)
	}
}

func TestJudgeIsBounded(t *testing.T) {
	rules := DefaultRules()
	for _, body := range []string{strings.Repeat("<error>", 50_000), strings.Repeat(`{"error":`, 50_000), "Error: " + strings.Repeat("'", 100_000), strings.Repeat("a/", 100_000), strings.Repeat("Exit Code: \n", 100_000)} {
		rules.Judge(shell(strings.Repeat("a|", 50_000)), result(body, flagged))
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(`{"command":"grep x"}`, "Exit code 1", true)
	f.Add(`{"cmd":["bash","-c","a \"b"]}`, `{"error":{"code":-1}}`, false)
	f.Add(``, "Traceback (most recent call last)\n\xff", false)
	rules := DefaultRules()
	f.Fuzz(func(t *testing.T, arguments, body string, flag bool) {
		r := result(body)
		if flag {
			r.Flag = transcript.FlagError
		}
		call := transcript.Call{Tool: "t", Arguments: arguments}
		j := rules.Judge(call, r)
		if again := rules.Judge(call, r); again.Folded != j.Folded || again.Outcome != j.Outcome {
			t.Fatal("judged twice, differently")
		}
		if (j.Outcome == OutcomeError) != (j.Folded != "") {
			t.Fatalf("%q: %s with code %q", body, j.Outcome, j.Folded)
		}
		if Fold(j.Folded) != j.Folded {
			t.Fatalf("%q folds to %q", j.Folded, Fold(j.Folded))
		}
		if flag && j.Outcome == OutcomeOK && j.Rule != RuleBenignExit {
			t.Fatalf("%q: a flagged error is ok by %q", body, j.Rule)
		}
		Findings(Examined{Call: call, Result: r, Judgement: j}, nil)
	})
}

func BenchmarkJudge(b *testing.B) {
	rules := DefaultRules()
	call := transcript.Call{Tool: "update_ticket", Arguments: `{"id":"T-8841"}`}
	f := func(name, body string) {
		b.Run(name, func(b *testing.B) {
			r := result(body)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				rules.Judge(call, r)
			}
		})
	}
	f("ok object", `{"id":"T-8841","status":"open","tags":["a","b"],"owner":{"name":"x"}}`)
	f("ok text", strings.Repeat("a line of a file listing\n", 400))
	f("error object", `{"code":"INVALID_STATUS","message":"\"OPEN\" is no status.","retryable":false,"hint":"Use open.","field":"status"}`)
	f("error text", "Error: flight HAT030 not available on date 2024-05-13")
}
