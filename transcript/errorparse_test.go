package transcript

import (
	"encoding/json"
	"strings"
	"testing"
)

// shown writes an error object as one line of JSON, which is what the cases state.
func shown(t *testing.T, body string) (string, ParseNotes) {
	t.Helper()
	object, notes := ParseError(body)
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), notes
}

func TestParseErrorShapes(t *testing.T) {
	f := func(name, body, says, want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			got, notes := shown(t, body)
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", body, got, want)
			}
			if notes.SaysError != says {
				t.Errorf("%s says %q, want %q", body, notes.SaysError, says)
			}
			if skimmed := SkimBody(body); skimmed.SaysError != says || skimmed.JSON != notes.JSON {
				t.Errorf("skimmed %+v, read %+v", skimmed, notes)
			}
		})
	}
	f("five fields", `{"code":"INVALID_STATUS","message":"Not a status.","retryable":false,"hint":"Use open.","field":"status"}`,
		"code_message_retryable",
		`{"schema":"five_field","code":"INVALID_STATUS","message":"Not a status.","retryable":2,"fields":[{"pointer":"/status","code":"INVALID_STATUS","message":"Not a status."}],"hint":"Use open."}`)
	f("fields as faults", `{"code":"X","message":"m","retryable":false,"fields":[{"field":"status","code":"enum","message":"bad","received":"OPEN","did_you_mean":"open"},"id"]}`,
		"code_message_retryable",
		`{"schema":"five_field","code":"X","message":"m","retryable":2,"fields":[{"pointer":"/status","code":"enum","message":"bad","received":"\"OPEN\"","did_you_mean":"\"open\""},{"pointer":"/id"}]}`)
	f("details and source", `{"code":"X","message":"m","retryable":true,"details":{"field":"a.b","received":1.0,"allowed":[2,3]},"source":"billing"}`,
		"code_message_retryable",
		`{"schema":"sourced","code":"X","message":"m","retryable":1,"fields":[{"pointer":"/a/b","received":"1","allowed":["2","3"]}],"source":"billing"}`)
	f("next action and context", `{"code":"X","message":"m","next_action":"ask_user","context":{"field":"status"},"retryable":"false"}`,
		"code_message_retryable",
		`{"schema":"next_action","code":"X","message":"m","retryable":2,"next_action":"ask_user","fields":[{"pointer":"/status"}]}`)
	f("field rejection", `{"error":"Invalid status","field":"status","received":"OPEN","did_you_mean":"open"}`, "error",
		`{"schema":"field_rejection","message":"Invalid status","fields":[{"pointer":"/status","received":"\"OPEN\"","did_you_mean":"\"open\""}]}`)
	f("message as error", `{"error":"Invalid status"}`, "error", `{"schema":"error_string","message":"Invalid status"}`)
	f("code as error", `{"error":"invalid_status","message":"No."}`, "error", `{"schema":"error_string","code":"invalid_status","message":"No."}`)
	f("batched", `{"code":"VALIDATION","message":"Three faults.","errors":[{"field":"a","code":"REQUIRED","message":"m1"},{"pointer":"/b/0","message":"m2"},{"path":["c",1],"message":"m3"},"a sentence"]}`,
		"errors",
		`{"schema":"batched","code":"VALIDATION","message":"Three faults.","fields":[{"pointer":"/a","code":"REQUIRED","message":"m1"},{"pointer":"/b/0","message":"m2"},{"pointer":"/c/1","message":"m3"}]}`)
	f("map of faults", `{"errors":{"email":["is invalid","is taken"],"name":"is missing"}}`, "errors",
		`{"schema":"batched","message":"is invalid","fields":[{"pointer":"/email","message":"is invalid"},{"pointer":"/name","message":"is missing"}]}`)
	f("a command", `{"stdout":"a","stderr":"no rule","exit_code":2}`, "", `{"schema":"object","message":"Exit code 2\nno rule\na"}`)
	f("a command that ended well", `{"stdout":"a","exit_code":0}`, "", `{"schema":"object"}`)
	f("problem details", `{"type":"https://x.example/probs/out-of-credit","title":"No credit.","status":403,"detail":"Balance is 30.","instance":"/a/1"}`,
		"problem_details",
		`{"schema":"problem_details","code":"out-of-credit","message":"Balance is 30.","http_status":403}`)
	f("problem details with errors", `{"type":"about:blank","title":"Invalid","status":422,"errors":[{"detail":"must be positive","pointer":"#/age"}]}`,
		"errors",
		`{"schema":"problem_details","message":"Invalid","fields":[{"pointer":"/age","message":"must be positive"}],"http_status":422}`)
	f("Cloudflare API", `{"result":null,"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[]}`, "success_false",
		`{"schema":"cloudflare_api","code":"10000","message":"Authentication error"}`)
	f("Cloudflare page", `{"type":"https://d.example/1015/","title":"Error 1015: You are being rate limited","status":429,"detail":"Slow down.","error_code":1015,"error_name":"rate_limited","retryable":true,"retry_after":30,"cloudflare_error":true,"what_you_should_do":"Wait."}`,
		"error_code",
		`{"schema":"cloudflare_page","code":"1015","message":"Slow down.","retryable":1,"hint":"Wait.","retry_after_ms":30000,"http_status":429}`)
	f("MCP with text", `{"content":[{"type":"text","text":"No such city"}],"isError":true}`, "is_error", `{"schema":"mcp","message":"No such city"}`)
	f("MCP with JSON", `{"content":[{"type":"text","text":"{\"error\":\"Invalid status\"}"}],"isError":true}`, "is_error",
		`{"schema":"error_string","message":"Invalid status"}`)
	f("JSON-RPC", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":{"field":"q"}}}`, "error",
		`{"schema":"json_rpc","code":"-32602","message":"Invalid params","fields":[{"pointer":"/q"}]}`)
	f("OpenAI", `{"error":{"message":"Bad temperature","type":"invalid_request_error","param":"temperature","code":null}}`, "error",
		`{"schema":"openai","code":"invalid_request_error","message":"Bad temperature","fields":[{"pointer":"/temperature","code":"invalid_request_error","message":"Bad temperature"}]}`)
	f("Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "error",
		`{"schema":"anthropic","code":"overloaded_error","message":"Overloaded"}`)
	f("Google", `{"error":{"code":400,"message":"Bad","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"page.size","description":"too big"}]},{"@type":"t/google.rpc.RetryInfo","retryDelay":"3.5s"}]}}`, "error",
		`{"schema":"google_rpc","code":"INVALID_ARGUMENT","message":"Bad","fields":[{"pointer":"/page/size","message":"too big"}],"retry_after_ms":3500,"http_status":400}`)
	f("FastAPI", `{"detail":[{"loc":["body","items",0,"qty"],"msg":"value is not a valid integer","type":"type_error.integer","input":"x"}]}`, "",
		`{"schema":"fastapi","message":"value is not a valid integer","fields":[{"pointer":"/items/0/qty","code":"type_error.integer","message":"value is not a valid integer","received":"\"x\""}]}`)
	f("ajv", `[{"instancePath":"/a","keyword":"enum","params":{"allowedValues":["x","y"]},"message":"must be one of"},{"instancePath":"","keyword":"required","params":{"missingProperty":"b"},"message":"must have b"}]`, "",
		`{"schema":"validation_list","message":"must be one of","fields":[{"pointer":"/a","code":"enum","message":"must be one of","allowed":["\"x\"","\"y\""]},{"pointer":"/b","code":"required","message":"must have b"}]}`)
	f("zod", `{"errors":[{"code":"invalid_type","expected":"number","received":"string","path":["n"],"message":"Expected number"}]}`, "errors",
		`{"schema":"batched","message":"Expected number","fields":[{"pointer":"/n","code":"invalid_type","message":"Expected number"}]}`)
	f("fence", "```json\n{\"error\":\"Invalid status\"}\n```", "error", `{"schema":"error_string","message":"Invalid status"}`)
	f("text after", `{"error":"tool_call requires a 'name' argument"}`+"\n[... count=7 ...]", "error",
		`{"schema":"error_string","message":"tool_call requires a 'name' argument"}`)
	f("wrapper tags", `<tool_use_error>InputValidationError: no</tool_use_error>`, "", `{"schema":"text","message":"InputValidationError: no"}`)
	f("JSON in a string", `"{\"error\":\"Invalid status\"}"`, "error", `{"schema":"error_string","message":"Invalid status"}`)
	f("JSON after an opening", `Error executing tool: {"code":"X","message":"m"}`, "", `{"schema":"code_message","code":"X","message":"m"}`)
	f("cut short", `{"error":"Timeout","response":"abc`, "error", `{"schema":"error_string","code":"Timeout"}`)
	f("text", "Error: no", "", `{"schema":"text","message":"Error: no"}`)
	f("nothing", " \n", "", `{"schema":"empty"}`)
}

func TestParseErrorSaysNothing(t *testing.T) {
	f := func(body string) {
		t.Helper()
		if _, notes := ParseError(body); notes.SaysError != "" {
			t.Errorf("%s says %q", body, notes.SaysError)
		}
	}
	f(`{"error":""}`)
	f(`{"error":null,"result":1}`)
	f(`{"error":false}`)
	f(`{"error":{}}`)
	f(`{"errors":[],"results":[1]}`)
	f(`{"error_code":0,"reason":"ok"}`)
	f(`{"error_code":""}`)
	f(`{"status":"error"}`)
	f(`{"status":404}`)
	f(`{"status":200,"message":"ok"}`)
	f(`{"title":"x","status":200}`)
	f(`{"isError":false}`)
	f(`{"code":"X","message":"m"}`)
	f(`{"results":[{"error":"inner"}]}`)
	f(`src/error.go: {"error":"x"}`)
	f(`[{"error":"x"}]`)
}

func TestParseErrorNotes(t *testing.T) {
	_, notes := ParseError("<error>```json\n{\"error\":\"x y\",\"retryable\":\"no\"}\n```\nand more</error>")
	if !notes.JSON || !notes.Fenced || !notes.Trailing || !notes.Wrapped || notes.RetryableForm != "string" {
		t.Errorf("%+v", notes)
	}
	f := func(body string, want bool) {
		t.Helper()
		if _, notes := ParseError(body); notes.PromisesMore != want {
			t.Errorf("%s promises more: %v", body, notes.PromisesMore)
		}
	}
	f(`{"items":[],"has_more":true}`, true)
	f(`{"items":[],"has_more":true,"next_cursor":"c"}`, false)
	f(`{"status":"processing"}`, true)
	f(`{"status":"processing","done":false}`, false)
	f(`{"status":"open"}`, false)
}

func TestParseErrorIsBounded(t *testing.T) {
	deep := `{"error":` + strings.Repeat(`{"error":`, 5_000) + `"x"` + strings.Repeat("}", 5_001)
	if _, notes := ParseError(deep); notes.SaysError != "error" {
		t.Errorf("%+v", notes)
	}
	ParseError(strings.Repeat("<error>", 100_000))
	ParseError(strings.Repeat(`[`, 100_000))
	long, _ := ParseError("Error: " + strings.Repeat("é", 100_000))
	if len(long.Message) > maxMessage {
		t.Errorf("message of %d bytes", len(long.Message))
	}
	many, _ := ParseError(`{"errors":[` + strings.Repeat(`{"field":"f","message":"m"},`, 10_000) + `{"field":"g"}]}`)
	if len(many.Fields) != 1 {
		t.Errorf("%d fields", len(many.Fields))
	}
}

func FuzzParseError(f *testing.F) {
	for _, seed := range []string{`{"error":"x","errors":[{"loc":["a",1],"params":{"params":{}}}]}`, "```json\n{\"ok\":false}\n```x",
		`<error>{"isError":true,"content":[{"type":"text","text":"{}"}]}</error>`, `"\"{\\\"error\\\":1}\""`, `Error: {"code":1,"message":"m"}`,
		`{"detail":{"detail":{"detail":{}}},"retry_after":"1e99","error_code":1e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		object, notes := ParseError(body)
		if object.Schema == "" || len(object.Message) > maxMessage || len(object.Fields) > maxFields {
			t.Fatalf("%q: %+v", body, object)
		}
		if skimmed := SkimBody(body); skimmed.SaysError != notes.SaysError || skimmed.JSON != notes.JSON {
			t.Fatalf("%q: skimmed %+v, read %+v", body, skimmed, notes)
		}
	})
}
