package format_test

import (
	"errors"
	"strings"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// TestRejects shows what is refused, with what reason, and where the fault is said to be.
func TestRejects(t *testing.T) {
	f := func(text string, reason dialect.Reason, pointer string) {
		t.Helper()
		_, _, err := format.Decode(dialect.Input{Value: []byte(text)}, format.Limits{Bytes: 50_000})
		var reject dialect.Reject
		if !errors.As(err, &reject) {
			t.Errorf("%.90s: no reject but %v", text, err)
			return
		}
		if reject.Reason != reason || reject.Pointer != pointer {
			t.Errorf("%.90s: %v, want %s at %q", text, reject, reason, pointer)
		}
	}
	head := `{"schema":"errata.run/v1","run_id":"r",`
	message := func(fields string) string {
		return head + `"messages":[{"role":"user","content":"a"},{` + fields + `}]}`
	}

	f(``, dialect.ReasonMalformedJSON, "")
	f("\xff\xfe{\x00}\x00", dialect.ReasonInvalidUTF8, "")
	f("\x1f\x8b\x08\x00", dialect.ReasonInvalidUTF8, "")
	f(`{"colour":"red"}`, dialect.ReasonUnknownFormat, "")
	f(`{"schema":"errata.run/v9","run_id":"r","messages":[]}`, dialect.ReasonUnsupported, "/schema")
	f(`{"schema":"errata.run/v1","messages":[]}`, dialect.ReasonMissingField, "/run_id")
	f(`{"schema":"errata.run/v1","run_id":"","messages":[]}`, dialect.ReasonMissingField, "/run_id")
	f(`{"schema":"errata.run/v1","run_id":"`+strings.Repeat("r", 2000)+`","messages":[]}`, dialect.ReasonTooLarge, "/run_id")
	f(`{"schema":"errata.run/v1","run_id":"`+strings.Repeat("r", 50_000)+`","messages":[]}`, dialect.ReasonTooLarge, "")
	f(`{"schema":"errata.run/v1","run_id":7,"messages":[]}`, dialect.ReasonWrongType, "/run_id")
	f(head+`"agent":"a"}`, dialect.ReasonMissingField, "/messages")
	f(head+`"messages":null}`, dialect.ReasonMissingField, "/messages")
	f(head+`"messages":{}}`, dialect.ReasonWrongType, "/messages")
	f(head+`"messages":[null]}`, dialect.ReasonWrongType, "/messages/0")
	f(head+`"messages":[],"first_message":-1}`, dialect.ReasonWrongType, "/first_message")
	f(head+`"messages":[],"first_message":1.5}`, dialect.ReasonWrongType, "/first_message")
	f(head+`"messages":[],"ended":"yes"}`, dialect.ReasonWrongType, "/ended")
	f(head+`"messages":[],"end_reason":"bored"}`, dialect.ReasonWrongType, "/end_reason")
	f(head+`"messages":[],"attributes":{"a":{}}}`, dialect.ReasonWrongType, "/attributes/a")
	f(head+`"messages":[],"shadow":[{"call_id":"c"},{"call_id":1}]}`, dialect.ReasonWrongType, "/shadow/1/call_id")
	f(head+`"messages":[`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`]}`, dialect.ReasonTooDeep, "")
	f(head+`"messages":[`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+`]}`, dialect.ReasonTooDeep, "")
	f(head+`"messages":[{"role":"user","content":"a`, dialect.ReasonMalformedJSON, "/messages/0/content")

	f(message(`"content":"x"`), dialect.ReasonMissingField, "/messages/1/role")
	f(message(`"role":"captain"`), dialect.ReasonWrongType, "/messages/1/role")
	f(message(`"role":"user","content":{"text":"x"}`), dialect.ReasonWrongType, "/messages/1/content")
	f(message(`"role":"assistant","tool_calls":{}`), dialect.ReasonWrongType, "/messages/1/tool_calls")
	f(message(`"role":"assistant","tool_calls":[{"id":"c"}]`), dialect.ReasonMissingField, "/messages/1/tool_calls/0/function/name")
	f(message(`"role":"assistant","tool_calls":[{"id":"c","function":{"name":7}}]`), dialect.ReasonWrongType, "/messages/1/tool_calls/0/function/name")
	f(message(`"role":"assistant","usage":{"prompt_tokens":"many"}`), dialect.ReasonWrongType, "/messages/1/usage/prompt_tokens")
	f(message(`"role":"tool","tool_call_id":[]`), dialect.ReasonWrongType, "/messages/1/tool_call_id")
	f(message(`"role":"user","timestamp":"soon"`), dialect.ReasonWrongType, "/messages/1/timestamp")

	f(message(`"role":"assistant","content":[{"type":"tool_use","id":"t","input":{}}]`), dialect.ReasonMissingField, "/messages/1/content/0/name")
	f(message(`"role":"user","content":[{"type":"tool_result","tool_use_id":7}]`), dialect.ReasonWrongType, "/messages/1/content/0/tool_use_id")
	f(message(`"role":"user","content":[{"type":"thinking","thinking":"x"},7]`), dialect.ReasonWrongType, "/messages/1/content/1")
	f(message(`"role":"tool","content":"x"},{"role":"user","content":[{"type":"tool_result"}]`), dialect.ReasonUnsupported, "/messages/2/content/0")

	f(message(`"role":"model","parts":[{"functionCall":{"args":{}}}]`), dialect.ReasonMissingField, "/messages/1/parts/0/functionCall/name")
	f(message(`"role":"captain","parts":[]`), dialect.ReasonWrongType, "/messages/1/role")
	f(message(`"role":"user","parts":7`), dialect.ReasonWrongType, "/messages/1/parts")
}

// TestUnknownHeader: a forced format that does not exist is a reject that names those which do.
func TestUnknownHeader(t *testing.T) {
	in := dialect.Input{Value: []byte(`{}`), Headers: map[string]string{dialect.HeaderFormat: "word"}}
	_, _, err := format.Decode(in, format.DefaultLimits())
	if err == nil || !strings.Contains(err.Error(), "errata") || !strings.Contains(err.Error(), `"word"`) {
		t.Errorf("it says %v", err)
	}
}

// TestByteOrderMark: files that begin with the mark are read all the same.
func TestByteOrderMark(t *testing.T) {
	in := dialect.Input{Value: []byte("\uFEFF" + `{"schema":"errata.run/v1","run_id":"r","messages":[]}`)}
	if out, _, err := format.Decode(in, format.DefaultLimits()); err != nil || len(out.Fragments) != 1 {
		t.Errorf("it gives %d fragments, %v", len(out.Fragments), err)
	}
}
