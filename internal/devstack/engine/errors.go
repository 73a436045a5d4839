package engine

import (
	"regexp"
	"strconv"
	"strings"
)

// Error is an exception of the engine.
type Error struct {
	// Code is ClickHouse's error code, for example 60 for an unknown table; 0 where the engine gave none.
	Code int
	// Text is the whole text as the engine wrote it, beginning with "Code: ".
	Text string
}

// Error returns the engine's text.
func (e *Error) Error() string { return e.Text }

// versionMark begins what some messages end with already, and what whoever shows them adds to each.
const versionMark = " (version "

var codePrefix = regexp.MustCompile(`^Code:\s*(\d+)\.\s*DB::(?:\w+)?Exception:\s*`)

// parseError reads the code out of the engine's message. The embedded engine wraps one exception into another of the same
// code ("Code: 60. DB::Exception: Code: 60. DB::Exception: …"), which a server does not; the outer copies are dropped.
func parseError(message string) error {
	if i := strings.LastIndex(message, versionMark); i >= 0 {
		// What follows the mark repeats the error's name.
		message = message[:i]
	}
	message = strings.TrimSpace(message)
	found := codePrefix.FindStringSubmatch(message)
	if found == nil {
		return &Error{Code: 1001, Text: "Code: 1001. DB::Exception: " + message}
	}
	for {
		inner := codePrefix.FindStringSubmatch(message[len(found[0]):])
		if inner == nil {
			break
		}
		message, found = message[len(found[0]):], inner
	}
	code, err := strconv.Atoi(found[1])
	if err != nil {
		code = 1001
	}
	return &Error{Code: code, Text: message}
}
