package chhttp

import "net/http"

// The error codes that this interface itself answers with; the numbers are ClickHouse's.
const (
	codeSyntaxError      = 62
	codeNotImplemented   = 48
	codeReadonly         = 164
	codeWrongParameter   = 36
	codeNoOutfile        = 358
	codeAuthentication   = 516
	codeNetwork          = 210
	codeUnknownException = 1002
)

// httpStatus says which HTTP status ClickHouse's server answers an exception with; what is not listed is 500.
// Source: the server's documentation of its HTTP interface and what it answers.
func httpStatus(code int) int {
	switch code {
	case codeAuthentication, 192, 193, 291, 497:
		// Authentication failed, unknown user, wrong password, no access to the database, access denied.
		return http.StatusForbidden
	case 194:
		return http.StatusUnauthorized
	case 6, 26, 27, 38, 41, 43, 53, 62, 36, 69, 70, 72, 117, 130, 131, 168, 170, 306, 386, 427, 456, 457:
		// What could not be parsed, converted or is a wrong argument.
		return http.StatusBadRequest
	case 34, 35, 46, 47, 50, 56, 60, 73, 81, 115, 199:
		// What is unknown: function, identifier, type, storage, table, format, database, setting.
		return http.StatusNotFound
	case 57, 82:
		// Table or database exists already.
		return http.StatusInternalServerError
	case 159:
		return http.StatusRequestTimeout
	case 223:
		return http.StatusRequestEntityTooLarge
	case 48:
		return http.StatusNotImplemented
	case 74, 209:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
