package ask

import "fmt"

// Error is a question that cannot be answered as it was put. It has a code for programs and a sentence for people, and
// names the parameter at fault.
type Error struct {
	Code    string
	Field   string
	Message string
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// The codes of questions that cannot be answered as put.
const (
	CodeInvalid  = "invalid_parameter"
	CodeNotFound = "not_found"
)

func invalid(field, format string, args ...any) error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}
