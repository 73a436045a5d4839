package transcript

// ParseNotes is what was noticed while the body of a result was read: what decides whether it is an error by its own
// words, and what is wrong with its form.
type ParseNotes struct {
	JSON           bool   // the body is JSON, or begins with a JSON object
	Fenced         bool   // the JSON stands in a markdown fence
	Trailing       bool   // text follows the JSON
	Wrapped        bool   // wrapper tags stood around the body
	SaysError      string // what in the object says that it is an error: "success_false", "errors", …; "": nothing does
	RetryableForm  string // "string", "number", "null", … where retryable is there and no boolean, else ""
	FieldsWithout  int    // faulty arguments that the object lists without naming them
	HasField       bool   // the error names at least one argument
	PromisesMore   bool   // the object says that more may come and names no end
	ReceivedValues []string
}

// ParseError reads the body of a result as an error object, whatever shape it came in. It never fails: text is a shape too.
func ParseError(body string) (ErrorObject, ParseNotes) {
	return ErrorObject{Schema: "text", Message: body}, ParseNotes{}
}
