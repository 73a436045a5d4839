package exchange

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/gemini"
	"errata/pipeline/format/record"
)

// generated is a response of Gemini's, or a chunk of one.
type generated struct {
	ID         string                     `json:"responseId"`
	Model      string                     `json:"modelVersion"`
	Created    field.Time                 `json:"createTime"`
	Usage      *field.Usage               `json:"usageMetadata"`
	Candidates record.PartList[candidate] `json:"candidates"`
}

type candidate struct {
	Index   int           `json:"index"`
	Content geminiContent `json:"content"`
}

type geminiContent struct {
	Parts record.PartList[jsontext.Value] `json:"parts"`
}

// geminiAnswer reads a response, or its chunks: texts that follow one another are one text. The counts of chunks grow,
// so that the largest is the response's.
func (t *talk) geminiAnswer(events []jsontext.Value) error {
	t.provider = "google"
	var parts []jsontext.Value
	var counted *field.Usage
	var text strings.Builder
	thought := false
	flush := func() {
		if text.Len() == 0 {
			return
		}
		part := append(jsontext.Value(`{"text":`), quote(text.String())...)
		if thought {
			part = append(part, `,"thought":true`...)
		}
		parts = append(parts, append(part, '}'))
		text.Reset()
	}
	found := false
	for _, event := range events {
		var wire generated
		if err := record.Unmarshal(event, &wire); err != nil {
			return err
		}
		if wire.ID != "" {
			t.id = wire.ID
		}
		if wire.Model != "" {
			t.model = wire.Model
		}
		if !wire.Created.IsZero() {
			t.created = wire.Created.Time
		}
		counted = counted.Join(wire.Usage)
		for i := range wire.Candidates {
			if wire.Candidates[i].Index != 0 {
				continue
			}
			found = true
			for _, part := range wire.Candidates[i].Content.Parts {
				said, isThought, isText := textOf(part)
				if !isText {
					flush()
					parts = append(parts, part)
					continue
				}
				if isThought != thought {
					flush()
					thought = isThought
				}
				text.WriteString(said)
			}
		}
	}
	flush()
	if !found {
		return nil
	}
	content := append(append(jsontext.Value(`{"role":"model","parts":`), join(parts)...), '}')
	messages, err := gemini.Decode(list(content))
	if err != nil {
		return record.Refuse(err).Within(0, "/candidates")
	}
	messages[0].Usage = counted.Tokens()
	t.answer = messages
	return nil
}

// textOf reads a part that is nothing but text.
func textOf(part jsontext.Value) (text string, thought, isText bool) {
	shape, err := record.ShapeOf(part)
	if err != nil || shape.First().Kind("text") != '"' {
		return "", false, false
	}
	return shape.First().Text("text"), shape.First().Kind("thought") == 't', true
}
