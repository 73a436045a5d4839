package transcript

// Tristate is a truth value that may be absent.
type Tristate int8

// The three states.
const (
	Unset Tristate = iota
	True
	False
)

// ErrorObject is what a failed result says, normalised from whatever shape it came in.
type ErrorObject struct {
	Schema       string       `json:"schema"` // the shape: "five_field", "batched", "problem_details", "text", …
	Code         Code         `json:"code,omitempty"`
	Message      string       `json:"message,omitempty"`
	Retryable    Tristate     `json:"retryable,omitempty"`
	NextAction   string       `json:"next_action,omitempty"`
	Fields       []ErrorField `json:"fields,omitempty"`
	Hint         string       `json:"hint,omitempty"`
	RetryAfterMS *int64       `json:"retry_after_ms,omitempty"`
	HTTPStatus   int          `json:"http_status,omitempty"`
	Source       string       `json:"source,omitempty"`
}

// ErrorField is one argument that an error names as faulty.
type ErrorField struct {
	Pointer    string   `json:"pointer"` // JSON Pointer (RFC 6901) into the arguments, "/address/country"
	Code       Code     `json:"code,omitempty"`
	Message    string   `json:"message,omitempty"`
	Received   *string  `json:"received,omitempty"` // canonical JSON of the value the server says it got; nil: not said
	Allowed    []string `json:"allowed,omitempty"`  // canonical JSON of each allowed value
	DidYouMean *string  `json:"did_you_mean,omitempty"`
}
