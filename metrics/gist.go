package metrics

import (
	"regexp"
	"strings"

	"errata/transcript"
)

// A failed command answers with all it wrote, a trace with all its frames. What is the same from failure to failure is
// one line of that: the gist, from which a code is mined.

var (
	// openings are put before a message and say no more than that it is one.
	openings = newMatcher(regexp.MustCompile(`(?i)^(?:\[?error\]?\s*:|error executing tool(?:\s+[\w.-]+)?\s*:|exception\s*:|uncaught\s+)\s*`))
	// exitLine is a line that says with which status a command ended, and nothing else.
	exitLine = newMatcher(regexp.MustCompile(`(?i)^[\[(<]?(?:the )?(?:command |process )?(?:finished |failed |ended |exited )?(?:with )?(?:an? )?(?:error: )?exit(?:ed)?(?: with)?(?: a)?(?: non-zero)?(?: exit)?(?:[ _]?(?:code|status))\s*[:=]?\s*(-?\d+)\.?[\])>]?$`))
	// traceback opens a Python trace, whose last line is its message.
	traceback = "Traceback (most recent call last)"
	// emptyLabel is a labelled line that says that there is nothing, "Error: (none)".
	emptyLabel = regexp.MustCompile(`^[A-Z][\w /]{0,30}:\s*(?:\((?:none|empty)\))?$`)
	// wrongLine tells a line of a command's output that says what went wrong.
	wrongLine = regexp.MustCompile(`(?i)\b(?:error|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|not found|no such|denied|invalid|unknown|unexpected|undefined|unrecognized|missing|panic|exception|refused|timed? ?out)\b`)
)

// gist is the part of a message that its code is mined from.
func gist(message string) string {
	text, _ := transcript.Unwrap(cut(message, scanLength))
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = trimmedLines(lines)
	if len(lines) == 0 {
		return ""
	}
	line := lines[0]
	if strings.HasPrefix(line, traceback) {
		line = lines[len(lines)-1]
	} else if output, exit := splitExitLine(lines); exit != "" {
		line = wrongOf(output, exit)
	}
	for {
		inner := openings.without(line)
		if inner == line || inner == "" {
			break
		}
		line = inner
	}
	return cut(line, gistLength)
}

func trimmedLines(lines []string) []string {
	kept := lines[:0]
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

// splitExitLine parts what a command wrote from the line that says with which status it ended, at either end, and from
// the labelled lines between that line and the end. exit is "" where there is no such line.
func splitExitLine(lines []string) (output []string, exit string) {
	for i, line := range lines[:min(len(lines), headLines)] {
		if exitLine.matches(line) {
			return lines[i+1:], line
		}
		if !labelledLine.matches(line) {
			break
		}
	}
	for i := len(lines) - 1; i >= max(0, len(lines)-headLines); i-- {
		if exitLine.matches(lines[i]) {
			return lines[:i], lines[i]
		}
		if !labelledLine.matches(lines[i]) {
			break
		}
	}
	return nil, ""
}

// wrongOf is the first line of a command's output that says what went wrong, else the one that says how it ended.
func wrongOf(output []string, exit string) string {
	for _, line := range output {
		if emptyLabel.MatchString(line) {
			continue
		}
		if strings.HasPrefix(line, traceback) {
			return output[len(output)-1]
		}
		if wrongLine.MatchString(line) {
			return line
		}
	}
	return exit
}
