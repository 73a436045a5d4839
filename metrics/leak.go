package metrics

import (
	"strings"

	"errata/transcript"
)

// leakMarks open the lines with which models write a tool call that their provider then fails to read as one.
var leakMarks = []string{"<invoke name=", "<function_calls>", "<invoke", "<function_calls>", "<tool_call>", "<function=", "<|tool_call"}

// leaks counts the tool calls that leaked into a text: the lines that open one, outside code fences.
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
		for _, mark := range leakMarks {
			if !strings.HasPrefix(line, mark) {
				continue
			}
			if strings.HasSuffix(mark, "function_calls>") {
				wrappers++
			} else {
				calls++
			}
			break
		}
	}
	return max(calls, min(wrappers, 1))
}

// leakedTurn tells whether a turn made no call but wrote one as text. Such a turn is no reply: the next step after an
// error is looked for behind it.
func leakedTurn(thread *transcript.Thread, turn *transcript.Turn) bool {
	if len(turn.Calls) > 0 {
		return false
	}
	for _, i := range turn.Messages {
		if i >= 0 && i < len(thread.Messages) && leaks(thread.Messages[i].Text) > 0 {
			return true
		}
	}
	return false
}

// leakedCalls counts the leaked calls of the turns of a thread that made none.
func leakedCalls(thread *transcript.Thread) int {
	sum := 0
	for i := range thread.Turns {
		turn := &thread.Turns[i]
		if len(turn.Calls) > 0 {
			continue
		}
		for _, j := range turn.Messages {
			if j >= 0 && j < len(thread.Messages) {
				sum += leaks(thread.Messages[j].Text)
			}
		}
	}
	return sum
}
