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
	openings = newMatcher(regexp.MustCompile(`(?i)^(?:\[?error\]?\s*:|error executing tool(?:\s+[\w.-]+)?\s*:|exception\s*:|uncaught\s+|mcp error -?\d+\s*:|an error occurred while (?:running the tool|parsing tool arguments)\. please try again(?: with valid json)?\.)\s*`))
	// announced is a whole line that says only that a call failed; the next one says why.
	announced = newMatcher(regexp.MustCompile(`(?i)^(?:the tool execution failed with the following error:|error invoking tool .* with error:)$`))
	// exitLine is a line that says with which status a command ended, and nothing else.
	exitLine = newMatcher(regexp.MustCompile(`(?i)^[\[(<]?(?:the )?(?:command |process )?(?:finished |failed |ended |exited )?(?:with )?(?:an? )?(?:error: )?exit(?:ed)?(?: with)?(?: a)?(?: non-zero)?(?: exit)?(?:[ _]?(?:code|status))\s*[:=]?\s*(-?\d+)\.?[\])>]?$`))
	// framed opens a Python trace, which the exception's own line follows: with its header, as a notebook prints it, or with
	// nothing but the place of a fault of syntax.
	framed = newMatcher(regexp.MustCompile(`^(?:Traceback \(most recent call last\)|Cell In\s?\[\d+\], line \d|File "[^"]*", line \d|-{20,}$)`))
	// exception is the line of an exception: its name, and what it says.
	exception = newMatcher(regexp.MustCompile(`^(?:[\pL_][\pL\pN_]*\.)*[\pL_][\pL\pN_]*(?:Error|Exception|Interrupt|Exit|Warning|Timeout|Iteration)(?::|$)`))
	// outputLabel stands before what a command wrote, on the same line or on one of its own.
	outputLabel = newMatcher(regexp.MustCompile(`^(?:(?:Code )?[Oo]utput:|</?output>)\s*`))
	// closingTag ends an element, whose name its opening says already.
	closingTag = regexp.MustCompile(`</\w+>$`)
	// emptyLabel is a labelled line that says that there is nothing, "Error: (none)".
	emptyLabel = regexp.MustCompile(`^[A-Z][\w /]{0,30}:\s*(?:\((?:none|empty)\))?$`)
	// wrongLine tells a line of a command's output that says what went wrong.
	wrongLine = regexp.MustCompile(`(?i)\b(?:error|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|not found|no such|denied|invalid|unknown|unexpected|undefined|unrecognized|missing|panic|exception|refused|timed? ?out)\b`)
)

// gist is the part of a message that its code is mined from.
func (r *Rules) gist(message string) string {
	text, _ := transcript.Unwrap(cut(message, scanLength))
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = trimmedLines(lines)
	if len(lines) == 0 {
		return ""
	}
	if len(lines) > 1 && announced.matches(lines[0]) {
		return r.gist(strings.Join(lines[1:], "\n"))
	}
	line := lines[0]
	if framed.matches(line) {
		line = exceptionOf(lines)
	} else if output, exit := r.splitExitLine(lines); exit != "" {
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

// exceptionOf is the last line of a trace that is an exception's, since one exception is raised while another is handled,
// and output may follow; else the last line.
func exceptionOf(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if exception.matches(lines[i]) {
			return lines[i]
		}
	}
	return lines[len(lines)-1]
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
func (r *Rules) splitExitLine(lines []string) (output []string, exit string) {
	for i, line := range lines[:min(len(lines), headLines)] {
		if r.saysExit(line) {
			return lines[i+1:], line
		}
		if !labelledLine.matches(line) {
			break
		}
	}
	for i := len(lines) - 1; i >= max(0, len(lines)-headLines); i-- {
		if r.saysExit(lines[i]) {
			return lines[:i], lines[i]
		}
		if !labelledLine.matches(lines[i]) {
			break
		}
	}
	return nil, ""
}

// saysExit tells a line that says with which status a command ended, and nothing else.
func (r *Rules) saysExit(line string) bool {
	for i := range r.exitLines {
		if r.exitLines[i].matches(line) {
			return true
		}
	}
	return false
}

// wrongOf is the first line of a command's output that says what went wrong, else the one that says how it ended.
func wrongOf(output []string, exit string) string {
	for i, line := range output {
		if line = outputLabel.without(line); line == "" || emptyLabel.MatchString(line) {
			continue
		}
		if framed.matches(line) {
			return exceptionOf(output[i:])
		}
		if wrongLine.MatchString(line) {
			return line
		}
	}
	return closingTag.ReplaceAllString(exit, "")
}
