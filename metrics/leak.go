package metrics

import (
	"regexp"
	"strings"

	"errata/transcript"
)

// leakMark is how the lines begin with which models write a tool call that their provider then fails to read as one:
// what wraps calls, or the call itself, perhaps in a namespace.
var leakMark = regexp.MustCompile(`^<\|?(?:[a-z]+:)?(?:(function_calls|tool_calls?)\b|(invoke name=|function=))`)

// leaks counts the tool calls that leaked into a text, outside code fences.
func leaks(text string) int {
	if !strings.Contains(text, "<") {
		return 0
	}
	calls, wrappers, fenced := 0, 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(line, "<") {
			continue
		}
		if found := leakMark.FindStringSubmatch(line); found != nil && found[1] != "" {
			wrappers++
		} else if found != nil {
			calls++
		}
	}
	return max(calls, wrappers)
}

// leakedCalls counts the calls that a turn without calls wrote as text. Such a turn is no reply: the next step after an
// error is looked for behind it.
func leakedCalls(thread *transcript.Thread, turn *transcript.Turn) int {
	if len(turn.Calls) > 0 {
		return 0
	}
	sum := 0
	for _, i := range turn.Messages {
		if i >= 0 && i < len(thread.Messages) {
			sum += leaks(thread.Messages[i].Text)
		}
	}
	return sum
}
