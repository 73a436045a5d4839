package transcript

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// saysError names the statement by which an object says that it is an error (rule 3 of section 2 of the metrics
// specification), "" where none does.
func saysError(o object) string {
	switch {
	case isFalse(o.get("ok")):
		return "ok_false"
	case isFalse(o.get("success")):
		return "success_false"
	case isTrue(o.get("isError")):
		return "is_error"
	case saysErrorValue(o.get("error")):
		return "error"
	case filled(o.get("errors")):
		return "errors"
	case saysErrorCode(o.get("error_code")):
		return "error_code"
	}
	status, hasStatus := numberOf(o.get("status"))
	if hasStatus && status >= 400 && (o.get("title") != nil || o.get("type") != nil) {
		return "problem_details"
	}
	if o.get("code") != nil && o.get("message") != nil && o.get("retryable") != nil {
		return "code_message_retryable"
	}
	for _, name := range []string{"status", "status_code", "statusCode"} {
		if n, ok := numberOf(o.get(name)); ok && n >= 400 && messageOf(o) != "" {
			return "status_number"
		}
	}
	return ""
}

// saysErrorValue tells whether the value of "error" says so: true, a non-empty string or object.
func saysErrorValue(value jsontext.Value) bool {
	switch value.Kind() {
	case 't':
		return true
	case '"', '{':
		return filled(value)
	}
	return false
}

func saysErrorCode(value jsontext.Value) bool {
	if n, ok := numberOf(value); ok {
		return n != 0
	}
	text, ok := stringOf(value)
	text = strings.TrimSpace(text)
	return ok && text != "" && text != "0"
}

// filled tells a list, object or string that has something in it.
func filled(value jsontext.Value) bool {
	switch value.Kind() {
	case '"':
		text, _ := stringOf(value)
		return strings.TrimSpace(text) != ""
	case '{':
		return len(members(value).list) > 0
	case '[':
		return len(elements(value, 1)) > 0
	}
	return false
}

// moreNames say with true that something is to follow; endNames tell where it ends, or how to get it.
var (
	moreNames   = []string{"has_more", "hasMore", "more", "more_available", "truncated", "is_truncated", "partial", "incomplete"}
	endNames    = []string{"next_cursor", "nextCursor", "cursor", "next_page", "nextPage", "next_page_token", "nextPageToken", "next_offset", "next", "total", "total_count", "remaining", "done", "complete", "completed", "finished", "terminal", "final", "poll_after_ms", "retry_after", "retry_after_ms"}
	openStates  = map[string]bool{"pending": true, "processing": true, "queued": true, "running": true, "in_progress": true, "started": true, "accepted": true}
	statesNames = []string{"status", "state"}
)

// promisesMore tells whether an object says that more may come, and nothing of where it ends.
func promisesMore(o object) bool {
	for _, name := range endNames {
		if value := o.get(name); value != nil && value.Kind() != 'n' {
			return false
		}
	}
	for _, name := range moreNames {
		if isTrue(o.get(name)) {
			return true
		}
	}
	for _, name := range statesNames {
		if state, ok := stringOf(o.get(name)); ok && openStates[strings.ToLower(state)] {
			return true
		}
	}
	return false
}

func isTrue(value jsontext.Value) bool  { return value.Kind() == 't' }
func isFalse(value jsontext.Value) bool { return value.Kind() == 'f' }

// stringOf is the text of a JSON string.
func stringOf(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil || len(text) > 0 // invalid UTF-8 is replaced, with an error
}

// numberOf is a JSON number as a double.
func numberOf(value jsontext.Value) (float64, bool) {
	if value.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(value)), 64)
	return n, err == nil
}

// scalarOf is a string or number as text.
func scalarOf(value jsontext.Value) (string, bool) {
	if value.Kind() == '0' {
		return strings.TrimSpace(string(canonicalNumbers(value))), true
	}
	return stringOf(value)
}

// firstString is the first of the named members that is a non-empty string.
func firstString(o object, names ...string) string {
	for _, name := range names {
		if text, ok := stringOf(o.get(name)); ok && strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

// messageOf is the sentence of an object that is meant to be read.
func messageOf(o object) string {
	return firstString(o, "message", "error_message", "errorMessage", "error_description", "detail", "msg", "description", "title")
}
