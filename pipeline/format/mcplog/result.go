package mcplog

import (
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// resultOf reads an answer: the texts of a result, its structured content where it has no text, or the error of the protocol.
func resultOf(m dialect.Members) (transcript.Result, error) {
	var result transcript.Result
	if value := m.Get("error"); value.Kind() == '{' {
		result.Flag, result.Body = transcript.FlagError, record.Compact(value)
		return result, nil
	}
	var wire struct {
		Content    record.PartList[block] `json:"content"`
		Structured field.Raw              `json:"structuredContent"`
		IsError    field.Truth            `json:"isError"`
	}
	value := m.Get("result")
	if value.Kind() != '{' {
		var raw field.Raw
		if len(value) == 0 {
			return result, nil
		}
		err := record.Unmarshal(value, &raw)
		result.Body = raw.Object()
		return result, err
	}
	if err := record.Unmarshal(value, &wire); err != nil {
		return result, record.Refuse(err).Within(0, "/result")
	}
	var texts []string
	for i := range wire.Content {
		if b := &wire.Content[i]; b.Type == "text" {
			texts = append(texts, b.Text)
		} else {
			texts = append(texts, "["+b.Type+"]")
		}
	}
	if result.Body = field.Lines(texts...); result.Body == "" {
		result.Body = wire.Structured.Object()
	}
	result.Flag = field.Flag(wire.IsError)
	return result, nil
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
