package langfuse

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/record"
	"errata/transcript"
)

// found is what an input or output holds, in whichever provider's words.
type found struct {
	users, texts []string
	calls        []transcript.Call
	results      []transcript.Result
}

// maxScan bounds how deep messages are looked for.
const maxScan = 12

// plain gives a value without the quotes that libraries wrap JSON in, once or twice.
func plain(value jsontext.Value) any {
	if len(value) == 0 {
		return nil
	}
	var out any
	if json.Unmarshal(value, &out, record.Options()) != nil {
		return nil
	}
	for range 2 {
		inner, ok := out.(string)
		trimmed := strings.TrimSpace(inner)
		if !ok || trimmed == "" || !strings.ContainsAny(trimmed[:1], `{["`) || record.CheckDepth([]byte(trimmed)) != nil {
			break
		}
		var again any
		if json.Unmarshal([]byte(trimmed), &again, record.Options()) != nil {
			break
		}
		out = again
	}
	return out
}

func (f *found) scan(value any, depth int) {
	if depth > maxScan || len(f.calls) >= record.MaxParts || len(f.results) >= record.MaxParts {
		return
	}
	switch v := value.(type) {
	case string:
		if depth == 0 && v != "" {
			f.texts = append(f.texts, v)
		}
	case []any:
		for _, element := range v {
			f.scan(element, depth+1)
		}
	case map[string]any:
		f.object(v, depth)
	}
}

// object reads a message, a part of one, or what holds them.
func (f *found) object(o map[string]any, depth int) {
	role, kind := word(o, "role"), word(o, "type")
	switch {
	case kind == "tool_call" || kind == "tool-call" || kind == "tool_use" || kind == "function_call":
		f.call(o, o)
		return
	case kind == "tool_call_response" || kind == "tool-result" || kind == "tool_result" || kind == "function_call_output" || role == "tool":
		f.result(o)
		return
	case role == "user" || role == "human" || kind == "human":
		if said := said(o); said != "" {
			f.users = append(f.users, said)
		}
	case kind == "text" || role == "assistant" || role == "model":
		if said := said(o); said != "" {
			f.texts = append(f.texts, said)
		}
	}
	for _, name := range []string{"functionCall", "function_call"} {
		if inner, ok := o[name].(map[string]any); ok {
			f.call(inner, inner)
		}
	}
	if calls, ok := o["tool_calls"].([]any); ok {
		for _, c := range calls {
			outer, _ := c.(map[string]any)
			inner, ok := outer["function"].(map[string]any)
			if !ok {
				inner = outer
			}
			f.call(outer, inner)
		}
	}
	for _, name := range []string{"messages", "message", "content", "parts", "candidates", "choices", "output", "generations", "contents", "input", "additional_kwargs"} {
		if _, isText := o[name].(string); !isText {
			f.scan(o[name], depth+1)
		}
	}
}

func (f *found) call(outer, inner map[string]any) {
	name := word(inner, "name", "toolName", "tool_name")
	if name == "" {
		return
	}
	var arguments string
	for _, key := range []string{"arguments", "args", "input"} {
		if value, ok := inner[key]; ok {
			arguments = written(value)
			break
		}
	}
	f.calls = append(f.calls, transcript.Call{
		ID: word(outer, "call_id", "id", "toolCallId", "tool_call_id"), Tool: transcript.Tool(name), Arguments: arguments,
	})
}

func (f *found) result(o map[string]any) {
	id := word(o, "tool_call_id", "call_id", "tool_use_id", "toolCallId", "id")
	if id == "" {
		return
	}
	result := transcript.Result{CallID: id}
	for _, key := range []string{"result", "output", "content", "response"} {
		if value, ok := o[key]; ok {
			result.Body = written(value)
			break
		}
	}
	if failed, _ := o["is_error"].(bool); failed || word(o, "status") == "error" {
		result.Flag = transcript.FlagError
	}
	f.results = append(f.results, result)
}

// said gives a message's own text; parts are read by themselves.
func said(o map[string]any) string {
	if text := word(o, "content", "text"); text != "" {
		return text
	}
	if word(o, "role") != "user" {
		return ""
	}
	for _, key := range []string{"parts", "content"} {
		parts, _ := o[key].([]any)
		for _, p := range parts {
			if part, ok := p.(map[string]any); ok {
				if text := word(part, "content", "text"); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

// word gives the first of some members that is a text.
func word(o map[string]any, names ...string) string {
	for _, name := range names {
		if text, ok := o[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// written gives a value as JSON, a text as it is.
func written(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	out, err := json.Marshal(value, json.Deterministic(true))
	if err != nil || string(out) == "null" {
		return ""
	}
	return string(out)
}
