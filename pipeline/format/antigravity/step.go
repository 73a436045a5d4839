package antigravity

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// args are the arguments of a call. The program writes the value of each as JSON once more.
type args struct{ text string }

// UnmarshalJSONFrom reads the arguments, every value as what it stands for.
func (a *args) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var raw field.Raw
	if err := raw.UnmarshalJSONFrom(decoder); err != nil {
		return err
	}
	a.text = raw.Object()
	if raw.Kind != '{' {
		return nil
	}
	shape, err := record.ShapeOf([]byte(raw.Text))
	if err != nil {
		return nil // as it was written
	}
	out := []byte{'{'}
	for i, member := range shape.First() {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := jsontext.AppendQuote(nil, member.Name)
		if err != nil {
			return nil
		}
		out = append(append(append(out, name...), ':'), inner(member.Value)...)
	}
	a.text = string(append(out, '}'))
	return nil
}

// inner is the value that a string holds as JSON, else the string.
func inner(value jsontext.Value) jsontext.Value {
	if value.Kind() != '"' {
		return value
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil || !jsontext.Value(text).IsValid(record.Options()) {
		return value
	}
	return jsontext.Value(text)
}

// kindOf is the kind of step in which the result of a tool comes, "" where it is not known.
func kindOf(tool string) string {
	switch tool {
	case "list_dir":
		return "LIST_DIRECTORY"
	case "view_file", "view_file_outline", "view_code_item", "view_content_chunk":
		return "VIEW_FILE"
	case "run_command":
		return "RUN_COMMAND"
	case "write_to_file", "write_file", "replace_file_content", "multi_replace_file_content":
		return "CODE_ACTION"
	case "grep_search":
		return "GREP_SEARCH"
	case "find_by_name":
		return "FIND"
	case "search_web":
		return "SEARCH_WEB"
	}
	return ""
}

// failedCommand is the program's line for a command that failed.
var failedCommand = regexp.MustCompile(`(?m)^The command (?:failed|exited|completed) with exit code:? (-?\d+)`)

// exitOf reads the exit status, which stands in the first lines of a step.
func exitOf(text string) *int {
	const most = 512
	found := failedCommand.FindStringSubmatch(text[:min(len(text), most)])
	if found == nil {
		return nil
	}
	status, err := strconv.Atoi(found[1])
	if err != nil {
		return nil
	}
	return &status
}

// request is what a person wrote, without what the program put around it.
func request(text string) string {
	_, after, found := strings.Cut(text, "<USER_REQUEST>")
	if !found {
		return text
	}
	inside, _, _ := strings.Cut(after, "</USER_REQUEST>")
	return strings.TrimSpace(inside)
}

// chosenModel is the note of a change of the model.
var chosenModel = regexp.MustCompile("Model Selection`? from [^\n]{1,80}? to ([^\n]{1,80}?)\\.?(?:\n|$)")

// chosen is the model that a person chose, "" where they did not.
func chosen(text string) string {
	if found := chosenModel.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}
