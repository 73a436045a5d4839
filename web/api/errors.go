package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// Error is what went wrong with a request: a code for programs, a sentence for people, and the parameter or field at
// fault where there is one.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// ClickHouse's codes that say something about the request or the state of the database, rather than of a fault of ours.
const (
	clickhouseUnknownTable    = 60
	clickhouseUnknownDatabase = 81
	clickhouseTimeout         = 159
	clickhouseMemory          = 241
)

// Explain turns any error into what is told of it. What is not the caller's doing is told without its inner text, which
// belongs into the log.
func Explain(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var question *ask.Error
	if errors.As(err, &question) {
		status := http.StatusBadRequest
		if question.Code == ask.CodeNotFound {
			status = http.StatusNotFound
		}
		return &Error{Status: status, Code: question.Code, Message: question.Message, Field: question.Field}
	}
	var decision *review.Error
	if errors.As(err, &decision) {
		status := http.StatusBadRequest
		if decision.Code == review.CodeStale {
			status = http.StatusConflict
		}
		return &Error{Status: status, Code: decision.Code, Message: decision.Message, Field: decision.Field}
	}
	return explainDatabase(err)
}

func explainDatabase(err error) *Error {
	var exception *clickhouse.Exception
	if errors.As(err, &exception) {
		switch exception.Code {
		case clickhouseUnknownTable, clickhouseUnknownDatabase:
			return &Error{Status: http.StatusServiceUnavailable, Code: "no_tables",
				Message: "the tables are not there yet; start ingest, or run: ingest migrate"}
		case clickhouseTimeout:
			return tooLong()
		case clickhouseMemory:
			return &Error{Status: http.StatusServiceUnavailable, Code: "too_large",
				Message: "the question needs more memory than the database gives it; ask about a shorter time or fewer groups"}
		}
		return &Error{Status: http.StatusInternalServerError, Code: "internal", Message: "the database could not answer; the log says why"}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return tooLong()
	}
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, clickhouse.ErrAcquireConnTimeout) {
		return &Error{Status: http.StatusServiceUnavailable, Code: "database_unavailable", Message: "the database does not answer; try again soon"}
	}
	return &Error{Status: http.StatusInternalServerError, Code: "internal", Message: "something went wrong here; the log says what"}
}

func tooLong() *Error {
	return &Error{Status: http.StatusGatewayTimeout, Code: "timeout",
		Message: "the question took too long; ask about a shorter time or fewer groups"}
}
