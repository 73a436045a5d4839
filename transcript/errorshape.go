package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// oneWord is a string "error" that is a code; any other is a message.
var oneWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// readObject reads what an object says, its inner error object first, since that is the more specific one.
func (r *errorReader) readObject(o object) {
	if r.wraps++; r.wraps > maxWraps {
		return
	}
	defer func() { r.wraps-- }()
	if content, ok := blockText(elements(o.get("content"), maxFields)); ok {
		r.readBody(content)
		if r.Schema == "text" || r.Schema == "empty" {
			r.Schema = "mcp"
		}
	}
	if r.skim {
		return
	}
	if inner := o.get("error"); inner.Kind() == '{' {
		r.readObject(members(inner))
		r.Schema = ""
	}
	r.readCodeAndMessage(o)
	r.readAdvice(o)
	r.readLists(o)
	if o.get("errors") == nil && o.get("error").Kind() != '{' {
		r.addField(o, argumentNames)
	}
	r.setSchema(shapeOf(o))
}

// readCodeAndMessage reads what an object calls the error.
func (r *errorReader) readCodeAndMessage(o object) {
	text, isString := stringOf(o.get("error"))
	status, _ := stringOf(o.get("status"))
	code, _ := scalarOf(o.get("code"))
	if o.get("code").Kind() == '0' && o.get("message") != nil && oneWord.MatchString(status) && strings.ToUpper(status) == status {
		r.setCode(status) // google.rpc.Status: the number is the HTTP status of it
	}
	r.setCode(code)
	if code, ok := scalarOf(o.get("error_code", "errorCode")); ok && code != "0" {
		r.setCode(code)
	}
	if isString && oneWord.MatchString(strings.TrimSpace(text)) {
		r.setCode(text)
		text = ""
	}
	kind := firstString(o, "type")
	if n, ok := numberOf(o.get("status")); ok && n >= 400 {
		r.setCode(lastSegment(kind))
	} else if o.get("message") != nil && oneWord.MatchString(kind) && strings.HasSuffix(kind, "_error") {
		r.setCode(kind) // OpenAI's and Anthropic's errors without a code
	}
	r.setMessage(firstString(o, "message"))
	r.setMessage(text)
	r.setMessage(messageOf(o))
	r.setMessage(commandMessage(o))
	for _, name := range []string{"http_status", "httpStatus", "status", "status_code", "statusCode", "code"} {
		if n, ok := numberOf(o.get(name)); ok && n >= 100 && n < 600 && r.HTTPStatus == 0 {
			r.HTTPStatus = int(n)
		}
	}
}

// commandMessage is what an object says of a command that failed: how it ended, and what it wrote. "" for anything else.
func commandMessage(o object) string {
	status, ok := numberOf(o.get("exit_code", "exitCode", "returncode", "return_code"))
	if !ok || status == 0 {
		return ""
	}
	return strings.TrimSpace("Exit code " + strconv.Itoa(int(status)) + "\n" + firstString(o, "stderr") + "\n" + firstString(o, "stdout", "output"))
}

// lastSegment is the last segment of a problem type, "" for the type that says nothing.
func lastSegment(uri string) string {
	uri = strings.TrimRight(strings.TrimSpace(uri), "/")
	if uri == "" || uri == "about:blank" {
		return ""
	}
	return uri[strings.LastIndexAny(uri, "/#:")+1:]
}

// readAdvice reads what an object tells the caller to do.
func (r *errorReader) readAdvice(o object) {
	if value := o.get("retryable", "retriable", "is_retryable", "isRetryable", "should_retry"); value != nil && r.Retryable == Unset {
		r.Retryable, r.notes.RetryableForm = retryableOf(value)
	}
	if r.NextAction == "" {
		value := o.get("next_action", "nextAction", "recommended_action", "suggested_action")
		if value.Kind() == '{' {
			r.NextAction = clip(firstString(members(value), "type", "action", "name", "tool"), maxValue)
		} else if text, ok := stringOf(value); ok {
			r.NextAction = clip(strings.TrimSpace(text), maxValue)
		}
	}
	if r.Hint == "" {
		r.Hint = clip(firstString(o, "hint", "suggestion", "remediation", "how_to_fix", "fix", "help", "what_you_should_do"), maxMessage)
	}
	if r.Source == "" {
		r.Source = clip(firstString(o, "source", "service"), maxValue)
	}
	r.readRetryAfter(o)
}

func (r *errorReader) readRetryAfter(o object) {
	if r.RetryAfterMS != nil {
		return
	}
	if n, ok := numberOf(o.get("retry_after_ms", "retryAfterMs")); ok && n >= 0 && n < 1e15 {
		ms := int64(n)
		r.RetryAfterMS = &ms
		return
	}
	value := o.get("retry_after", "retryAfter", "retry_after_seconds", "retryDelay")
	text, ok := scalarOf(value)
	if !ok {
		return
	}
	if value.Kind() == '0' || !strings.HasSuffix(text, "s") {
		text += "s"
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		ms := d.Milliseconds()
		r.RetryAfterMS = &ms
	}
}

// retryableOf reads retryable; form is the kind of its value where it is no boolean.
func retryableOf(value jsontext.Value) (state Tristate, form string) {
	switch value.Kind() {
	case 't':
		return True, ""
	case 'f':
		return False, ""
	case 'n':
		return Unset, "null"
	case '"':
		text, _ := stringOf(value)
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "yes", "1":
			return True, "string"
		case "false", "no", "0":
			return False, "string"
		}
		return Unset, "string"
	case '0':
		n, _ := numberOf(value)
		if n == 0 {
			return False, "number"
		}
		return True, "number"
	}
	return Unset, "object"
}

// readLists reads the members that hold several faults, or more about one.
func (r *errorReader) readLists(o object) {
	for _, name := range []string{"errors", "detail", "details", "issues", "violations", "fieldViolations", "validation_errors", "field_errors", "invalid_params", "invalid-params"} {
		switch value := o.get(name); value.Kind() {
		case '[':
			r.readList(elements(value, maxFields))
		case '{':
			if inner := members(value); name == "errors" || name == "field_errors" {
				r.readFaultMap(inner)
			} else {
				r.readMore(inner)
			}
		case '"':
			if text, _ := stringOf(value); name == "errors" {
				r.setMessage(text)
			}
		}
	}
	for _, name := range []string{"data", "context"} {
		if value := o.get(name); value.Kind() == '{' {
			r.readMore(members(value))
		}
	}
}

// readList reads a list of faults. google.rpc puts lists and advice into the elements of its details.
func (r *errorReader) readList(list []jsontext.Value) {
	if len(list) == 0 || list[0].Kind() != '{' || members(list[0]).get("@type") == nil {
		r.readFaults(list)
		return
	}
	for _, value := range list {
		if value.Kind() == '{' {
			r.readMore(members(value))
		}
	}
}

// readMore reads an object with more about the error, which does not name it.
func (r *errorReader) readMore(o object) {
	if r.wraps++; r.wraps > maxWraps {
		return
	}
	defer func() { r.wraps-- }()
	r.readAdvice(o)
	r.readLists(o)
	r.addField(o, argumentNames)
}

// shapeOf names the shape of an object, most specific first.
func shapeOf(o object) string {
	has := func(names ...string) bool {
		for _, name := range names {
			if o.get(name) == nil {
				return false
			}
		}
		return true
	}
	inner := object{}
	if value := o.get("error"); value.Kind() == '{' {
		inner = members(value)
	}
	kind := firstString(o, "type")
	status, statusIsNumber := numberOf(o.get("status"))
	switch {
	case has("jsonrpc"):
		return "json_rpc"
	case has("isError"):
		return "mcp"
	case isTrue(o.get("cloudflare_error")):
		return "cloudflare_page"
	case has("success", "errors", "messages") || has("success", "errors", "result"):
		return "cloudflare_api"
	case kind == "error" && inner.list != nil:
		return "anthropic"
	case inner.get("status").Kind() == '"' && inner.get("code").Kind() == '0':
		return "google_rpc"
	case inner.get("message") != nil && inner.get("type") != nil:
		return "openai"
	case has("errors"):
		return batchedShape(statusIsNumber && status >= 400 && has("title"))
	case statusIsNumber && (has("title") || has("type")):
		return "problem_details"
	case o.get("detail").Kind() == '[':
		return "fastapi"
	case has("code", "message", "next_action"):
		return "next_action"
	case has("code", "message", "retryable") && (has("details") || has("source")):
		return "sourced"
	case has("code", "message", "retryable"):
		return "five_field"
	case inner.list != nil:
		return "error_object"
	case has("error", "field") || has("error", "received"):
		return "field_rejection"
	case o.get("error").Kind() == '"':
		return "error_string"
	case has("code", "message"):
		return "code_message"
	}
	return "object"
}

func batchedShape(problem bool) string {
	if problem {
		return "problem_details"
	}
	return "batched"
}
