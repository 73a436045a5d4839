package metrics

import (
	"regexp"
	"strings"

	"errata/transcript"
)

// Budgets of the contract of error payloads.
const (
	maxErrorMessage = 400 // characters
	maxErrorBody    = 300 // tokens
)

// Examined is a judged result with what the contract rules look at.
type Examined struct {
	Call       transcript.Call
	Result     *transcript.Result
	Judgement  Judgement
	BodyTokens int64
}

// ContractRule is one rule of the contract of error payloads, as it is documented.
type ContractRule struct {
	Name     string
	Title    string
	Text     string
	Registry bool // applies only with a registry of codes
	breaks   func(e *Examined, registry *Registry) bool
}

// ContractRules lists the rules of section 9. All but promises_more look at errors only.
var ContractRules = []ContractRule{
	{"not_json", "Not JSON", "The body is no JSON, so a caller has to read it as prose.", false,
		func(e *Examined, _ *Registry) bool { return !e.Judgement.Notes.JSON }},
	{"fenced_json", "JSON in a fence", "The JSON stands in a markdown fence, which parsers stumble over.", false,
		func(e *Examined, _ *Registry) bool { return e.Judgement.Notes.Fenced }},
	{"no_code", "No code", "The error has no code, so that nothing can be keyed on but its wording.", false,
		func(e *Examined, _ *Registry) bool { return e.Judgement.Error.Code == "" }},
	{"code_not_registered", "Code not registered", "The code is not in the registry.", true, codeNotRegistered},
	{"code_case_variant", "Code in another spelling", "The code is registered in another case or with other separators.", true, codeCaseVariant},
	{"retryable_missing", "Retryable missing", "The error does not say whether the same call may succeed later.", false,
		func(e *Examined, _ *Registry) bool {
			return e.Judgement.Error.Retryable == transcript.Unset && e.Judgement.Notes.RetryableForm == ""
		}},
	{"retryable_not_boolean", "Retryable is no boolean", "retryable is text, a number or null where a boolean is due.", false,
		func(e *Examined, _ *Registry) bool { return e.Judgement.Notes.RetryableForm != "" }},
	{"field_key_missing", "Field not named", "The error rejects an argument without naming it: a listed fault has no field, or a validation error has none.", false, fieldKeyMissing},
	{"next_action_unknown", "Unknown next action", "next_action is none of " + nextActionList + ", nor the one registered for the code.", false, nextActionUnknown},
	{"message_missing", "Message missing", "The error has no sentence to read.", false,
		func(e *Examined, _ *Registry) bool { return e.Judgement.Error.Message == "" }},
	{"message_too_long", "Message too long", "The message has more than 400 characters.", false,
		func(e *Examined, _ *Registry) bool { return longerThan(e.Judgement.Error.Message, maxErrorMessage) }},
	{"leaks_internals", "Leaks internals", "The error shows a stack trace, an exception class or a file path of the server.", false, leaksInternals},
	{"flag_disagrees", "Flag disagrees", "The log flags success and the body says that it is an error.", false,
		func(e *Examined, _ *Registry) bool { return e.Judgement.FlagDisagrees }},
	{"body_over_budget", "Body over budget", "The body has more than 300 tokens.", false,
		func(e *Examined, _ *Registry) bool { return e.BodyTokens > maxErrorBody }},
	{"retryable_contradiction", "Contradictory retryable", "A validation or permission error says that it is retryable, or the error says otherwise than the registry.", false, retryableContradiction},
	{"echoes_unquoted", "Echoes unquoted", "The received value stands in the message outside quotes, where it reads as an instruction.", false, echoesUnquoted},
	{"promises_more", "Promises more", "A successful body says that more may come, and nothing tells where it ends.", false, nil},
}

// Findings lists the breaches of the contract of one result, in the order of ContractRules. A nil registry leaves out the
// rules that need one.
func Findings(e Examined, registry *Registry) []string {
	if e.Judgement.Outcome == OutcomeOK && e.Judgement.Notes.PromisesMore {
		return []string{"promises_more"}
	}
	if e.Judgement.Outcome != OutcomeError {
		return nil
	}
	var found []string
	for i := range ContractRules {
		rule := &ContractRules[i]
		if rule.breaks == nil || rule.Registry && registry == nil {
			continue
		}
		if rule.breaks(&e, registry) {
			found = append(found, rule.Name)
		}
	}
	return found
}

func codeNotRegistered(e *Examined, registry *Registry) bool {
	if e.Judgement.Error.Code == "" {
		return false
	}
	_, ok := registry.Lookup(e.Judgement.Folded)
	return !ok
}

func codeCaseVariant(e *Examined, registry *Registry) bool {
	registered, ok := registry.Lookup(e.Judgement.Folded)
	return ok && e.Judgement.Error.Code != "" && registered.Code != e.Judgement.Error.Code
}

// validationWords and permissionWords are the words of codes, folded, that no retry of the same call can mend.
var (
	validationWords = map[string]bool{"invalid": true, "validation": true, "required": true, "missing": true, "malformed": true, "unprocessable": true, "schema": true, "argument": true, "arguments": true, "parameter": true}
	permissionWords = map[string]bool{"permission": true, "forbidden": true, "unauthorized": true, "unauthenticated": true, "denied": true, "auth": true, "authentication": true, "authorization": true}
)

func hasWord(code transcript.Code, words map[string]bool) bool {
	for word := range strings.SplitSeq(strings.TrimPrefix(string(code), "~"), "_") {
		if words[word] {
			return true
		}
	}
	return false
}

func fieldKeyMissing(e *Examined, _ *Registry) bool {
	if !e.Judgement.Notes.JSON {
		return false // not_json says it all
	}
	if e.Judgement.Notes.Unnamed > 0 {
		return true
	}
	return len(e.Judgement.Error.Fields) == 0 && hasWord(e.Judgement.Folded, validationWords)
}

func nextActionUnknown(e *Examined, registry *Registry) bool {
	action := e.Judgement.Error.NextAction
	if action == "" {
		return false
	}
	if registered, ok := registry.Lookup(e.Judgement.Folded); ok && registered.NextAction != "" {
		return action != registered.NextAction
	}
	return !knownNextActions[action]
}

func retryableContradiction(e *Examined, registry *Registry) bool {
	said := e.Judgement.Error.Retryable
	if registered, ok := registry.Lookup(e.Judgement.Folded); ok && registered.Retryable != nil {
		return said != transcript.Unset && (said == transcript.True) != *registered.Retryable
	}
	if said != transcript.True {
		return false
	}
	return hasWord(e.Judgement.Folded, validationWords) || hasWord(e.Judgement.Folded, permissionWords)
}

// internal is a sign of what belongs into a server's log, with a cheap look for what every match of it has.
type internal struct {
	pattern *regexp.Regexp
	may     func(body string) bool
}

// internals are frames of stacks, names of exception classes, paths of source files.
var internals = []internal{
	{regexp.MustCompile(`Traceback \(most recent call last\)|(?m)^\s+at [\w.$<>]+ ?\(|File "[^"\n]+", line \d+|goroutine \d+ \[`),
		func(body string) bool {
			return strings.Contains(body, "Traceback") || strings.Contains(body, "at ") ||
				strings.Contains(body, `File "`) || strings.Contains(body, "goroutine ")
		}},
	{regexp.MustCompile(`\b(?:[a-z_]\w*\.)*[A-Z]\w*(?:Exception|Error):\s|\b(?:[a-z_]\w*\.){2,}[A-Z]\w+(?:Exception|Error)\b|\b[A-Z]\w+Exception\b`),
		func(body string) bool { return strings.Contains(body, "Exception") || strings.Contains(body, "Error") }},
	{regexp.MustCompile(`(?:/(?:usr|home|app|opt|srv|var|Users|root|workspace|site-packages|node_modules)/[\w./-]+|[A-Za-z]:\\[\w\\.-]+)|\b[\w/.-]+\.(?:py|js|ts|java|go|rb|php|cs|rs):\d+`),
		hasPath},
}

// hasPath tells whether a text has a slash, a drive or the number of a line, without one of which it shows no path.
func hasPath(body string) bool {
	if strings.IndexByte(body, '/') >= 0 {
		return true
	}
	for i := 0; i+1 < len(body); i++ {
		if body[i] == ':' && (body[i+1] == '\\' || body[i+1] >= '0' && body[i+1] <= '9') {
			return true
		}
	}
	return false
}

// leaksInternals looks at the whole body, but not at paths that the caller gave: to name them is no leak.
func leaksInternals(e *Examined, _ *Registry) bool {
	body := cut(e.Result.Body, scanLength)
	for i := range internals {
		if !internals[i].may(body) {
			continue
		}
		for _, match := range internals[i].pattern.FindAllString(body, 8) {
			if !strings.Contains(e.Call.Arguments, strings.TrimSpace(match)) {
				return true
			}
		}
	}
	return false
}

// echoesUnquoted looks for received strings in the message. Short ones stand in it by chance.
func echoesUnquoted(e *Examined, _ *Registry) bool {
	const shortest = 3
	for _, field := range e.Judgement.Error.Fields {
		if field.Received == nil {
			continue
		}
		value, ok := scalarText(*field.Received)
		if !ok || (*field.Received)[0] != '"' || len(value) < shortest {
			continue
		}
		for _, message := range []string{e.Judgement.Error.Message, field.Message} {
			if standsIn(quoted.ReplaceAllString(message, `""`), value) {
				return true
			}
		}
	}
	return false
}

// quoted matches what stands in quotes.
var quoted = regexp.MustCompile("\"[^\"\n]*\"|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»|'[^'\n]*'")

// longerThan counts characters without counting further than it has to.
func longerThan(s string, characters int) bool {
	if len(s) <= characters {
		return false
	}
	n := 0
	for range s {
		if n++; n > characters {
			return true
		}
	}
	return false
}
