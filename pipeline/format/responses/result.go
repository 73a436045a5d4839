package responses

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// result reads an output.
func (i *Item) result() transcript.Result {
	result := transcript.Result{CallID: i.CallID}
	if result.CallID == "" {
		result.CallID = i.ID
	}
	if result.CallID == "" {
		result.Tool = transcript.Tool(i.Name)
	}
	switch i.Type {
	case "shell_call_output", "local_shell_call_output":
		i.shell(&result)
	case "tool_search_output":
		result.Body = i.Tools.Object()
	case "function_call_output", "custom_tool_call_output":
		// The status says whether the item is complete, not whether the tool succeeded.
		result.Body = Body(i.Output)
		return result
	default:
		if result.Body = Body(i.Output); result.Body == "" {
			result.Body = i.Result.Object()
		}
	}
	flag, fate := field.Status(string(i.Status))
	if result.Flag == transcript.FlagUnset && result.ExitCode == nil && (flag == transcript.FlagError || i.Type == "apply_patch_call_output") {
		result.Flag = flag
	}
	result.Fate = fate
	return result
}

// shellPart is what one command of a shell call wrote and how it ended.
type shellPart struct {
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
	Outcome struct {
		Type     string `json:"type"`
		ExitCode *int   `json:"exit_code"`
	} `json:"outcome"`
}

// shell reads the output of shell calls: a list with the outcome of each command, the last of which that failed counts.
func (i *Item) shell(result *transcript.Result) {
	var parts record.PartList[shellPart]
	if i.Output.Kind != '[' || record.Unmarshal([]byte(i.Output.Text), &parts) != nil {
		Metadata(i.Output, result)
		return
	}
	var texts []string
	for k := range parts {
		part := &parts[k]
		texts = append(texts, part.Stdout, part.Stderr)
		switch {
		case part.Outcome.Type == "timeout":
			result.Flag, result.ErrorType = transcript.FlagError, "timeout"
		case part.Outcome.ExitCode != nil && (result.ExitCode == nil || *part.Outcome.ExitCode != 0):
			result.ExitCode = part.Outcome.ExitCode
		}
	}
	result.Body = field.Lines(texts...)
}

// Metadata reads the output of a command with the exit status that some programs write beside it, as JSON in a text:
// {"output": …, "metadata": {"exit_code": …}}. Without it the output is what it is.
func Metadata(output field.Raw, result *transcript.Result) {
	result.Body = Body(output)
	text := strings.TrimSpace(output.Text)
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return
	}
	var wire struct {
		Output   *field.Raw `json:"output"`
		Metadata struct {
			ExitCode *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if record.CheckDepth([]byte(text)) != nil || record.Unmarshal([]byte(text), &wire) != nil {
		return
	}
	if wire.Output != nil && wire.Metadata.ExitCode != nil {
		result.Body, result.ExitCode = wire.Output.Object(), wire.Metadata.ExitCode
	}
}

// Body gives an output as text: a text, or the texts of its parts, or the JSON that it is.
func Body(output field.Raw) string {
	if output.Kind != '[' {
		return output.Object()
	}
	var parts content
	if record.Unmarshal([]byte(output.Text), &parts) != nil || !parts.ofParts {
		return output.Text
	}
	return parts.text
}

// hostedResult reads the result that a call which the provider ran has beside it. It is not known while the call runs.
func (i *Item) hostedResult() (transcript.Result, bool) {
	call := i.call()
	result := transcript.Result{CallID: call.ID, Body: Body(i.Output)}
	if call.ID == "" {
		result.Tool = call.Tool
	}
	flag, fate := field.Status(string(i.Status))
	switch {
	case !i.Error.IsNull():
		result.Flag = transcript.FlagError
		if result.Body == "" {
			result.Body = i.Error.Text
		}
		return result, true
	case i.Status == "" && i.Output.IsNull(), fate == transcript.FateRunning, i.Status == "searching", i.Status == "interpreting",
		i.Status == "generating", i.Status == "calling", i.Status == "incomplete":
		return result, false
	}
	for _, raw := range []field.Raw{i.Outputs, i.Result} {
		if result.Body == "" && i.Type != "image_generation_call" {
			result.Body = raw.Object()
		}
	}
	result.Flag, result.Fate = flag, fate
	return result, true
}

// content is what a message says: a text or a list of parts.
type content struct {
	text, reasoning string
	ofParts         bool // every element was a part with a type
}

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// UnmarshalJSONFrom reads the content. Anything that is neither text nor parts is kept as JSON.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		c.text = raw.Object()
		return err
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	var texts, thoughts []string
	c.ofParts = true
	for decoder.PeekKind() != ']' {
		if len(texts)+len(thoughts) == record.MaxParts {
			return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "the content has more parts than any message; split it"}
		}
		if decoder.PeekKind() != '{' {
			value, err := decoder.ReadValue()
			if err != nil {
				return err
			}
			c.ofParts = false
			texts = append(texts, record.Compact(value))
			continue
		}
		var read part
		if err := json.UnmarshalDecode(decoder, &read); err != nil {
			return err
		}
		switch read.Type {
		case "input_text", "output_text", "text", "summary_text":
			texts = append(texts, read.Text)
		case "reasoning_text":
			thoughts = append(thoughts, read.Text)
		case "refusal":
			texts = append(texts, read.Refusal)
		case "":
			c.ofParts = false
			texts = append(texts, read.Text)
		default:
			texts = append(texts, "["+read.Type+"]")
		}
	}
	c.text, c.reasoning = field.Lines(texts...), field.Lines(thoughts...)
	_, err := decoder.ReadToken()
	return err
}

// word is a string; other values in its place say nothing that is known.
type word string

// UnmarshalJSONFrom reads the word.
func (w *word) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '"' {
		return decoder.SkipValue()
	}
	token, err := decoder.ReadToken()
	if err == nil {
		*w = word(token.String())
	}
	return err
}
