package envelope

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"errata/internal/simulate"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// seeds are records that are regular, and records that are so in all but one thing.
func seeds() []string {
	const whole = `{"schema":"errata.run/v1","run_id":"r","thread_id":"t","parent_call":"c0","agent":"a\u00e9","agent_version":"1","provider":"openai","model":"m","variant":"v",
	 "attributes":{"tenant":"x","n":1},"first_message":3,"ended":true,"end_reason":"completed","task_success":true,"other":[{"a":"]}"}],
	 "messages":[{"role":"user","content":"hi \"you\"","timestamp":"2026-01-02T03:04:05.678Z","id":"m1","x":{}},
	  {"role":"assistant","id":"m2","content":null,"refusal":null,"reasoning_content":"hm","model":"m2","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}},
	  {"role":"tool","tool_call_id":"c1","name":"f","variant":"w","is_error":true,"content":"[1, 2]"}],
	 "shadow":[{"call_id":"c1","variant":"w","payload":{"a": 1}}]}`
	all := []string{whole}
	for _, change := range [][2]string{
		{`"a\u00e9"`, `"\ud800"`}, {`"agent_version":"1"`, `"agent_version":null`}, {`"agent_version":"1"`, `"agent_version":1`},
		{`"first_message":3`, `"first_message":3.0`}, {`"first_message":3`, `"first_message":-1`}, {`"first_message":3`, `"first_message":null`},
		{`"ended":true`, `"ended":null`}, {`"ended":true`, `"ended":true,"ended":false`}, {`"model":"m"`, `"model":"m","mod\u0065l":"n"`},
		{`"provider":"openai"`, `"provider":"anthropic"`}, {`"task_success":true`, `"task_success":null`}, {`{"tenant":"x","n":1}`, `{"a":"1","a":"2"}`},
		{`"hi \"you\""`, `[{"type":"text","text":"hi"}]`}, {`"hi \"you\""`, "\"\xff\""}, {`"role":"user"`, `"role":"model"`}, {`"role":"user"`, `"role":"tool"`},
		{`"x":{}`, `"parts":[]`}, {`"id":"m1"`, `"id":"m2"`}, {`"total_tokens":7`, `"prompt_tokens_details":{"cached_tokens":3}`}, {`"total_tokens":7`, `"prompt_tokens":9`},
		{`"completion_tokens":2`, `"completion_tokens":-1`}, {`"usage":{`, `"usage":null,"y":{`}, {`"arguments":"{\"a\":1}"`, `"arguments":{"a":1}`},
		{`"is_error":true`, `"is_error":"yes"`}, {`"is_error":true`, `"status":"error"`}, {`"tool_calls":[`, `"tool_calls":[],"z":[`}, {`"refusal":null`, `"function_call":{"name":"g","arguments":"{}"}`},
		{`"name":"f","arguments"`, `"name":"","arguments"`}, {`"2026-01-02T03:04:05.678Z"`, `1767323045`}, {`"2026-01-02T03:04:05.678Z"`, `""`}, {`"2026-01-02T03:04:05.678Z"`, `"soon"`},
		{`"end_reason":"completed"`, `"end_reason":"done"`}, {`"function":{`, `"custom":{"name":"c","input":"i"},"f":{`}, {`"tool_call_id":"c1"`, `"tool_call_id":null`},
	} {
		if changed := strings.Replace(whole, change[0], change[1], 1); changed != whole {
			all = append(all, changed)
			continue
		}
		panic("the record does not hold " + change[0])
	}
	load := simulate.DefaultLoad()
	load.Runs, load.CallsPerRun, load.Together = 1, 5, 1
	for r := range simulate.Load(load) {
		all = append(all, string(r.Value))
	}
	return all
}

func FuzzRegular(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if !jsontext.Value(value).IsValid(record.Options()) || jsontext.Value(value).Kind() != '{' || record.CheckDepth(value) != nil {
			return
		}
		got, ok := decodeRegular(dialect.Input{Value: value, Valid: true})
		if !ok {
			return
		}
		want, err := decode(dialect.Input{Value: value})
		if err != nil {
			t.Fatalf("%s\nis read, although %v", value, err)
		}
		if !reflect.DeepEqual(want.Fragments[0], got) {
			t.Fatalf("%s\nis read as %+v\nwant %+v", value, got, want.Fragments[0])
		}
	})
}

// TestRegular tells that the usual records are taken in one pass: it would be silent if none were.
func TestRegular(t *testing.T) {
	all := seeds()
	regular := append([]string{all[0]}, all[len(all)-5:]...)
	for _, value := range regular {
		if _, ok := decodeRegular(dialect.Input{Value: []byte(value), Valid: true}); !ok {
			t.Errorf("%s\nis not regular", value)
		}
	}
}
