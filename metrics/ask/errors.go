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

// QueryError is a question that the database did not answer.
type QueryError struct {
	Query Query
	Err   error
}

// Error names the question and the id that the database logs.
func (e *QueryError) Error() string {
	return fmt.Sprintf("ask %s (query %s): %v", e.Query.Name, e.Query.ID, e.Err)
}

// Unwrap is the database's own error.
func (e *QueryError) Unwrap() error { return e.Err }
