package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The names under which tools say one thing. The first that is there counts.
var (
	argumentNames   = []string{"field", "pointer", "param", "parameter", "argument", "property"}
	pointerNames    = []string{"pointer", "field", "path", "loc", "instancePath", "dataPath", "param", "parameter", "property", "argument", "fieldPath"}
	receivedNames   = []string{"received", "received_value", "receivedValue", "got", "actual", "rejected_value", "rejectedValue", "input", "value"}
	allowedNames    = []string{"allowed", "allowed_values", "allowedValues", "valid_values", "validValues", "enum", "options", "choices", "one_of", "expected"}
	didYouMeanNames = []string{"did_you_mean", "didYouMean", "closest", "closest_match", "suggestion", "suggestions"}
)

// isFault tells an element of a list that describes a faulty argument, or at least a fault.
func isFault(o object) bool {
	return messageOf(o) != "" && (pointerOf(o, pointerNames) != "" || o.get("code") != nil || o.get("type") != nil || o.get("keyword") != nil)
}

// readFaults reads a list of faults: objects, or sentences.
func (r *errorReader) readFaults(list []jsontext.Value) {
	for _, value := range list {
		if text, ok := stringOf(value); ok {
			r.notes.Unnamed++
			r.setMessage(text)
			continue
		}
		if value.Kind() != '{' {
			continue
		}
		o := members(value)
		if r.addField(o, pointerNames) {
			continue
		}
		r.notes.Unnamed++
		r.readCodeAndMessage(o)
	}
	if r.Message == "" && len(r.Fields) > 0 {
		r.setMessage(r.Fields[0].Message)
	}
}

// readFaultMap reads an object of argument → sentence, or → list of sentences.
func (r *errorReader) readFaultMap(o object) {
	for _, m := range o.list {
		field := ErrorField{Pointer: pointerFrom(m.name)}
		switch m.value.Kind() {
		case '"':
			field.Message, _ = stringOf(m.value)
		case '[':
			for _, value := range elements(m.value, 1) {
				if value.Kind() == '{' {
					r.setFieldTexts(&field, members(value))
				} else {
					field.Message, _ = stringOf(value)
				}
			}
		case '{':
			r.setFieldTexts(&field, members(m.value))
		default:
			continue
		}
		field.Message = clip(field.Message, maxMessage)
		r.appendField(field)
		r.setMessage(field.Message)
	}
}

// addField adds the argument that an object names as faulty under one of the names. It tells whether it names one.
// Outside of lists a "path" is no argument, but a file or a URL.
func (r *errorReader) addField(o object, names []string) bool {
	var field ErrorField
	if field.Pointer = pointerOf(o, names); field.Pointer == "" {
		return r.addNames(o)
	}
	r.setFieldTexts(&field, o)
	r.appendField(field)
	return true
}

// addNames adds the arguments that an object lists by name, or as faults of their own: "fields", "missing".
func (r *errorReader) addNames(o object) bool {
	added := false
	for _, name := range []string{"field", "fields", "missing", "missing_fields", "parameters"} {
		for _, value := range elements(o.get(name), maxFields) {
			added = r.addListed(value) || added
		}
	}
	return added
}

// addListed adds one element of such a list, and tells whether it names an argument.
func (r *errorReader) addListed(value jsontext.Value) bool {
	var field ErrorField
	if text, ok := stringOf(value); ok {
		field.Pointer = pointerFrom(text)
	}
	if value.Kind() == '{' {
		o := members(value)
		field.Pointer = pointerOf(o, pointerNames)
		r.setFieldTexts(&field, o)
	}
	if field.Pointer == "" {
		return false
	}
	r.appendField(field)
	return true
}

func (r *errorReader) appendField(field ErrorField) {
	for _, known := range r.Fields {
		if known.Pointer == field.Pointer && known.Message == field.Message {
			return
		}
	}
	if len(r.Fields) < maxFields {
		r.Fields = append(r.Fields, field)
	}
}

// setFieldTexts reads what an object says of one argument.
func (r *errorReader) setFieldTexts(field *ErrorField, o object) {
	code, _ := scalarOf(o.get("code"))
	if code == "" {
		code = firstString(o, "type", "keyword", "rule", "reason")
	}
	field.Code = Code(clip(code, 200))
	field.Message = clip(messageOf(o), maxMessage)
	for _, name := range receivedNames {
		value := o.get(name)
		// In zod's issues "received" beside "expected" names a type, not a value.
		// Pydantic's "input" of a missing argument is the object that lacks it.
		if value == nil || name == "received" && code == "invalid_type" || name == "input" && code == "missing" {
			continue
		}
		if canonical, err := CanonicalJSON(value); err == nil && len(canonical) <= maxValue {
			text := string(canonical)
			field.Received = &text
		}
		break
	}
	field.Allowed = allowedOf(o)
	for _, name := range didYouMeanNames {
		value := o.get(name)
		if list := elements(value, 1); len(list) > 0 {
			value = list[0]
		}
		if value == nil || value.Kind() == 'n' || value.Kind() == '{' || value.Kind() == '[' {
			continue
		}
		if text, _ := stringOf(value); strings.HasPrefix(name, "suggestion") && strings.ContainsAny(text, " \t\n") {
			continue // a sentence: a hint
		}
		if canonical, err := CanonicalJSON(value); err == nil && len(canonical) <= maxValue {
			text := string(canonical)
			field.DidYouMean = &text
			break
		}
	}
}

// allowedOf lists the allowed values that an object or its params name.
func allowedOf(o object) []string {
	for _, name := range allowedNames {
		var allowed []string
		for _, value := range elements(o.get(name), maxFields) {
			if canonical, err := CanonicalJSON(value); err == nil && len(canonical) <= maxValue {
				allowed = append(allowed, string(canonical))
			}
		}
		if len(allowed) > 0 {
			return allowed
		}
	}
	if params := o.get("params", "ctx"); params.Kind() == '{' {
		inner := members(params)
		if inner.get("params", "ctx") == nil {
			return allowedOf(inner)
		}
	}
	return nil
}

// pointerOf is the JSON Pointer of the argument that an object names, "" where it names none.
func pointerOf(o object, names []string) string {
	pointer := ""
	for _, name := range names {
		value := o.get(name)
		if text, ok := stringOf(value); ok && text != "" {
			pointer = pointerFrom(text)
			break
		}
		if list := elements(value, maxDepth); len(list) > 0 && name != "field" {
			pointer = pointerFromList(list)
			break
		}
	}
	if source := o.get("source"); pointer == "" && source.Kind() == '{' {
		inner := members(source)
		pointer = pointerFrom(firstString(inner, "pointer", "parameter"))
	}
	// A missing argument is named by ajv beside the path of the object that lacks it.
	if params := o.get("params"); params.Kind() == '{' {
		if missing := firstString(members(params), "missingProperty", "additionalProperty"); missing != "" {
			pointer += Pointer(missing)
		}
	}
	return pointer
}

// pointerFrom makes a JSON Pointer of the ways in which tools write a path: a pointer, a URI fragment, "a.b[0].c".
func pointerFrom(path string) string {
	path = strings.TrimSpace(path)
	path = strings.TrimPrefix(strings.TrimPrefix(path, "#"), "$")
	if path == "" || strings.HasPrefix(path, "/") || len(path) > maxValue {
		return clip(path, maxValue)
	}
	path = strings.NewReplacer("[", ".", "]", "", `"`, "", "'", "").Replace(path)
	path = strings.TrimPrefix(path, ".")
	if strings.ContainsAny(path, " \t\n") {
		return Pointer(path)
	}
	return Pointer(strings.Split(path, ".")...)
}

// pointerFromList makes a JSON Pointer of a list of steps. A first step that names the part of a request is left out.
func pointerFromList(list []jsontext.Value) string {
	var tokens []string
	for i, value := range list {
		token, ok := scalarOf(value)
		if !ok || i == 0 && len(list) > 1 && (token == "body" || token == "query" || token == "path") {
			continue
		}
		tokens = append(tokens, token)
	}
	return Pointer(tokens...)
}
