package metrics

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"errata/transcript"
)

// headLines bounds the lines at either end of a text that are looked at for the line of an exit status.
const headLines = 8

// labelledLine is a line such as "Wall time: 0.3 seconds", which harnesses put around what a command wrote.
var labelledLine = newMatcher(regexp.MustCompile(`^[A-Z][\w /]{0,30}:( |$)`))

// exitStatus is the exit status that the record's metadata hold, else the one that a line of the text says.
func (r *Rules) exitStatus(result *transcript.Result) (status int, known bool) {
	if result.ExitCode != nil {
		return *result.ExitCode, true
	}
	return r.exitLineStatus(result.Body)
}

// exitLineStatus looks for the line of an exit status at the start or end of a text, where labelled lines may stand
// between it and the end.
func (r *Rules) exitLineStatus(body string) (status int, known bool) {
	text := strings.TrimSpace(body)
	for range headLines {
		line, rest, more := strings.Cut(text, "\n")
		if status, known = r.statusOf(line); known {
			return status, true
		}
		if !more || !labelledLine.matches(cut(line, 100)) || strings.HasPrefix(line, "Output:") {
			break
		}
		text = rest
	}
	text = strings.TrimSpace(body)
	for range headLines {
		at := strings.LastIndexByte(text, '\n')
		line := text[at+1:]
		if status, known = r.statusOf(line); known {
			return status, true
		}
		if at < 0 || !labelledLine.matches(cut(line, 100)) {
			break
		}
		text = strings.TrimRight(text[:at], "\r\n")
	}
	return 0, false
}

func (r *Rules) statusOf(line string) (status int, ok bool) {
	if line = strings.TrimSpace(line); line == "" || len(line) > 200 {
		return 0, false
	}
	if !hasAny(line, statusDigits) {
		return 0, false // whatever matched it, it would hold no status
	}
	for i := range r.exitLines {
		if !r.exitLines[i].mayMatch(line) {
			continue
		}
		if groups := r.exitLines[i].pattern.FindStringSubmatch(line); groups != nil {
			return atoi(groups[1])
		}
	}
	return 0, false
}

var statusDigits = anyOf(digits)

func atoi(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// isBenignExit tells whether the last command of a shell call means no by its exit status, and wrote no error.
func (r *Rules) isBenignExit(call transcript.Call, body string, status int) bool {
	words := lastCommand(shellCommand(call.Arguments))
	if len(words) == 0 {
		return false
	}
	name := path.Base(words[0])
	full := name
	if len(words) > 1 {
		full += " " + words[1]
	}
	for _, benign := range r.BenignExits {
		if (benign.Command == name || benign.Command == full) && slices.Contains(benign.Statuses, status) {
			return !r.writesError(body, name)
		}
	}
	return false
}

// writesError tells whether an output has lines by which a command or its shell reports an error of its own.
func (r *Rules) writesError(body, command string) bool {
	text, _ := transcript.Unwrap(body)
	if r.opensAsError(text) {
		return true
	}
	for line := range strings.Lines(text) {
		for _, prefix := range []string{command + ": ", "bash: ", "sh: ", "zsh: ", "(eval):", "/bin/", "fatal: ", "error: "} {
			if strings.HasPrefix(line, prefix) {
				return true
			}
		}
	}
	return false
}

// shellCommand is the command line of a shell call: the argument that shell tools have for it, as text or as a list of
// words.
func shellCommand(arguments string) string {
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(transcript.Canonical(arguments).JSON), &given) != nil {
		return ""
	}
	for _, name := range []string{"command", "cmd", "script", "commandLine", "CommandLine", "command_line"} {
		var line string
		if json.Unmarshal(given[name], &line) == nil && line != "" {
			return line
		}
		var words []string
		if json.Unmarshal(given[name], &words) != nil || len(words) == 0 {
			continue
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
			return words[2] // bash -lc '…'
		}
		return strings.Join(words, " ")
	}
	return ""
}

// lastCommand is the words of the last command of a line: what decides its exit status. Quotes are heeded, words that
// run another command are passed over.
func lastCommand(line string) []string {
	var words []string
	for _, word := range strings.Fields(lastSegment(line)) {
		word = strings.Trim(word, `(){}`)
		isPrefix := word == "" || word == "!" || word == "sudo" || word == "time" || word == "command" || word == "env" || word == "exec"
		if len(words) == 0 && (isPrefix || assignment.MatchString(word)) {
			continue
		}
		words = append(words, word)
	}
	return words
}

// assignment is a variable set for one command.
var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// lastSegment is what follows the last |, ;, & or line break outside quotes that is followed by anything.
func lastSegment(line string) string {
	line = strings.TrimRight(line, " \t\r\n;&")
	start := 0
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '&' && i > 0 && (line[i-1] == '>' || i+1 < len(line) && line[i+1] == '>'):
			// 2>&1 and &> redirect.
		case c == '|' || c == ';' || c == '&' || c == '\n':
			start = i + 1
		}
	}
	return line[start:]
}

func endsInLetter(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last)
}

func startsWithLetter(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first)
}
