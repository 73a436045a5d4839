package simulate

import "strings"

// The two payload variants that the tools can answer with.
const (
	BareV1       = "bare-v1"
	StructuredV2 = "structured-v2"
)

// detail is one argument that a structured error names.
type detail struct {
	name     string
	code     string
	received any
	allowed  []any
	meant    any // did_you_mean, nil for none
}

// fault is one way for a call to fail, written in either variant.
type fault struct {
	bare       string // the message of the bare variant, plain words
	code       string // the code of the structured variant
	message    string
	retryable  bool
	nextAction string
	hint       string
	retryAfter int      // milliseconds, 0 for none
	details    []detail // one is written as a field of the error, more as a batch
}

// codeIn is the folded code under which the fault is counted: the code of the
// structured variant in lower case; in the bare one the message itself where
// it is one word, else "~" and its words.
func (f *fault) codeIn(variant string) string {
	if variant == StructuredV2 {
		return strings.ToLower(f.code)
	}
	words := strings.Fields(strings.ToLower(f.bare))
	if len(words) == 1 {
		return words[0]
	}
	return "~" + strings.Join(words, "_")
}

// retryableIn is what the payload says: nothing in the bare variant.
func (f *fault) retryableIn(variant string) string {
	switch {
	case variant != StructuredV2:
		return ""
	case f.retryable:
		return "true"
	}
	return "false"
}

// payload is the body of the failed result.
func (f *fault) payload(variant string) object {
	if variant != StructuredV2 {
		return object{{"error", f.bare}}
	}
	e := object{{"code", f.code}, {"message", f.message}, {"retryable", f.retryable}}
	if f.nextAction != "" {
		e = append(e, field{"next_action", f.nextAction})
	}
	if f.hint != "" {
		e = append(e, field{"hint", f.hint})
	}
	if f.retryAfter > 0 {
		e = append(e, field{"retry_after_ms", f.retryAfter})
	}
	if len(f.details) == 1 {
		e = append(append(e, field{"field", f.details[0].name}), f.details[0].members()...)
	}
	if len(f.details) > 1 {
		e = append(e, field{"errors", batch(f.details)})
	}
	return object{{"error", e}}
}

// members are what a structured error says of one argument beside its name.
func (d *detail) members() object {
	var o object
	if d.received != nil {
		o = append(o, field{"received", d.received})
	}
	if len(d.allowed) > 0 {
		o = append(o, field{"allowed", d.allowed})
	}
	if d.meant != nil {
		o = append(o, field{"did_you_mean", d.meant})
	}
	return o
}

// batch writes several faulty arguments in one answer.
func batch(details []detail) []object {
	list := make([]object, len(details))
	for i := range details {
		d := &details[i]
		list[i] = append(object{{"field", "/" + d.name}, {"code", d.code}}, d.members()...)
	}
	return list
}

// The faults that do not hang on the arguments of a call.
func faultRateLimited(waitMS int) *fault {
	return &fault{bare: "Rate limit exceeded", code: "RATE_LIMITED", message: "Too many requests, wait before the next one.",
		retryable: true, nextAction: "retry", retryAfter: waitMS}
}

func faultTimeout() *fault {
	return &fault{bare: "timeout", code: "UPSTREAM_TIMEOUT", message: "The back end did not answer in time.",
		retryable: true, nextAction: "retry"}
}

func faultUnavailable() *fault {
	return &fault{bare: "Service unavailable", code: "UNAVAILABLE", message: "The service is down.",
		retryable: true, nextAction: "retry"}
}

func faultWindowClosed() *fault {
	return &fault{bare: "Refund window closed", code: "REFUND_WINDOW_CLOSED",
		message: "The time in which this can be paid back is over.", nextAction: "ask_user",
		hint: "Only a person can allow an exception."}
}

func faultNotAllowed() *fault {
	return &fault{bare: "Not allowed", code: "PERMISSION_DENIED", message: "This agent may not do that.",
		nextAction: "stop", hint: "Hand the matter to a person."}
}

func faultInternal() *fault {
	return &fault{bare: "Internal error", code: "INTERNAL", message: "The server could not finish.", nextAction: "stop"}
}

func faultConflict() *fault {
	return &fault{bare: "Version conflict", code: "CONFLICT", message: "Somebody else has saved this meanwhile.",
		nextAction: "refetch", hint: "Read the newest state first."}
}

func faultUnknownTool(meant string) *fault {
	return &fault{bare: "Unknown tool", code: "UNKNOWN_TOOL", message: "There is no such tool.",
		nextAction: "use_other_tool", hint: "Use " + meant + " instead."}
}

func faultMissing(name string) *fault {
	return &fault{bare: name + " is required", code: "MISSING_ARGUMENT", message: name + " is required",
		nextAction: "fix_arguments", details: []detail{{name: name, code: "MISSING_ARGUMENT"}}}
}

// faultInvalid names arguments with bad values: one, or several as a batch.
func faultInvalid(details ...detail) *fault {
	f := &fault{bare: "Invalid " + details[0].name, code: details[0].code, nextAction: "fix_arguments", details: details}
	f.message = "The value of " + details[0].name + " is not accepted."
	if len(details) > 1 {
		f.code, f.message = "VALIDATION_FAILED", "Several arguments are not accepted."
	}
	return f
}
