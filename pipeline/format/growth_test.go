package format_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestGrowingLines sends sessions twice, when they were shorter and whole, as a program does that follows a file or resumes
// a session. It makes no difference that they were sent before they had grown.
func TestGrowingLines(t *testing.T) {
	for _, f := range ownFixtures(t) {
		d, err := format.Detect(f.input)
		if err != nil || f.damaged || d.Unit != dialect.UnitWhole {
			continue
		}
		lines := bytes.SplitAfter(f.input.Value, []byte("\n"))
		if len(lines) < 4 || !isLines(f.input.Value) {
			continue
		}
		t.Run(d.Name+"/"+f.name, func(t *testing.T) {
			whole, _, _ := format.Decode(f.input, format.Limits{})
			want := assembled(t, whole)
			for n := 1; n < len(lines); n++ {
				short := f.input
				short.Value = bytes.Join(lines[:n], nil)
				out, found, err := format.Decode(short, format.Limits{})
				if err != nil || found != d {
					continue // it does not say yet what it is
				}
				for name, got := range map[string]map[transcript.RunID]transcript.Run{"then": assembled(t, out, whole), "after": assembled(t, whole, out)} {
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%d of %d lines, %s all of them, give other runs: %+v\nwant\n%+v", n, len(lines), name, got, want)
					}
				}
			}
		})
	}
}

func isLines(value []byte) bool {
	return bytes.HasPrefix(value, []byte("{")) && bytes.Contains(value, []byte("}\n{"))
}

// TestGrowingFiles sends files that hold a run as one value, before and after it grew: it stays one run.
func TestGrowingFiles(t *testing.T) {
	f := func(name string, from int, file func(turns int) string) {
		t.Helper()
		const most = 7
		whole := decodedAs(t, name, file(most))
		want := assembled(t, whole)
		if len(want) != 1 {
			t.Errorf("%s: %d runs, want 1", name, len(want))
		}
		for n := from; n < most; n++ {
			short := decodedAs(t, name, file(n))
			if got := assembled(t, short, whole); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d turns and then %d give %+v\nwant\n%+v", name, n, most, got, want)
			}
		}
		other := decodedAs(t, name, strings.ReplaceAll(file(most), "try-1", "attempt-1"))
		if both := assembled(t, whole, other); len(both) != 2 {
			t.Errorf("%s: a run that begins otherwise is not told from it", name)
		}
	}
	list := func(n int, format string) string {
		var elements []string
		for i := range n {
			elements = append(elements, strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return strings.Join(elements, ",")
	}
	const fromThird = 3
	f("sweagent", fromThird, func(n int) string {
		return `{"environment":"main","trajectory":[` + list(n, `{"action":"try-%\n","observation":"no %","response":"t","state":"{}","thought":"t %"}`) +
			`],"history":[{"role":"system","content":"s"},{"role":"user","content":"task"},` +
			list(n, `{"role":"assistant","content":"t %","thought":"t %","action":"try-%\n"},{"role":"user","content":"no %"}`) + `],"info":{"exit_status":"x"}}`
	})
	f("sweagent", fromThird, func(n int) string {
		return `{"info":{"exit_status":"Submitted","mini_version":"1.1"},"trajectory_format":"mini-swe-agent-1","messages":[{"role":"system","content":"s"},{"role":"user","content":"task"},` +
			list(n, "{\"role\":\"assistant\",\"content\":\"```bash\\ntry-%\\n```\"},{\"role\":\"user\",\"content\":\"<returncode>1</returncode>\\n<output>no</output>\"}") + `]}`
	})
	f("atif", fromThird, func(n int) string {
		return `{"schema_version":"ATIF-v1.5","session_id":"s","agent":{"name":"a","version":"1","model_name":"m"},"steps":[{"step_id":1,"source":"user","message":"task"},` +
			list(n, `{"step_id":2,"source":"agent","message":"m %","tool_calls":[{"tool_call_id":"c%","function_name":"run","arguments":{"c":"try-%"}}],"observation":{"results":[{"source_call_id":"c%","content":"no"}]}}`) + `]}`
	})
	f("intercode", fromThird, func(n int) string {
		return `{"0":{"environment":"ic_sql","dataset":"d","task_id":0,"query":"task","turn_history":{"actions":[` + list(n, `"try-%"`) + `],"observations":[` + list(n, `"no %"`) +
			`],"rewards":[` + list(n, `0`) + `],"valid_action":[` + list(n, `true`) + `]},"summary":{"max_reward":0,"turns_taken":` + fmt.Sprint(n) + `,"turns_max":10}}}`
	})
	f("mint", fromThird, func(n int) string {
		return `{"state":{"history":[{"role":"user","content":"task"},` +
			list(n, `{"role":"assistant","content":"<execute>try-%</execute>"},{"role":"user","content":"Observation:\nno %"}`) +
			`],"success":false,"terminate_reason":"","agent_action_count":{},"error":null},"task":{"task_name":"t","task_id":1}}`
	})
	f("whoandwhen", fromThird, func(n int) string {
		return `{"question_ID":"q","question":"task","is_correct":false,"mistake_agent":"a","mistake_step":"1","history":[{"role":"user","name":"u","content":"task"},` +
			list(n, `{"role":"assistant","name":"Coder","content":"try-%"},{"role":"user","name":"Checker","content":"no %"}`) + `]}`
	})
	f("toolbench", fromThird, func(n int) string {
		node := ""
		for i := n - 1; i >= 0; i-- {
			node = fmt.Sprintf(`{"node_type":"Action","description":"tool","children":[{"node_type":"Action Input","description":"{\"q\":\"try-%d\"}","observation":"no","observation_code":1,"children":[%s]}]}`, i, node)
		}
		return fmt.Sprintf(`{"win":false,"tree":{"tree":{"node_type":"Action Input","description":"","children":[%s]}},"answer_generation":{"query":"task","final_answer":"%d","finish_type":"give_up","valid_data":false,"query_count":%d}}`, node, n, n)
	})
}

// decodedAs reads a file that must be of the dialect.
func decodedAs(t *testing.T, name, value string) dialect.Output {
	t.Helper()
	out, d, err := format.Decode(dialect.Input{Value: []byte(value)}, format.Limits{})
	if err != nil || d.Name != name || len(out.Rejects) > 0 {
		t.Fatalf("%s is read as %+v with %v, %v: %s", name, d, err, out.Rejects, value)
	}
	return out
}
