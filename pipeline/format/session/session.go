// Package session goes through the files in which programs keep a session, line by line or as one object.
package session

import (
	"strconv"
	"strings"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Each calls read with every record of an input, and gathers rejects with their places. Its error, a Reject, means that
// nothing could be read. The place of an error of read is relative to the record.
func Each(in dialect.Input, read func(record.Record) error) ([]dialect.Reject, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return nil, err
	}
	first, err := strconv.Atoi(in.Headers[dialect.HeaderFirstLine])
	if err != nil || first < 1 {
		first = 1
	}
	var rejects []dialect.Reject
	for unit, err := range record.Each(in.Value, shape.Container) {
		var reject dialect.Reject
		if err != nil {
			reject = record.Refuse(err)
		} else if err = read(unit); err != nil {
			reject = unit.Place(record.Refuse(err))
		}
		if err == nil {
			continue
		}
		if reject.Line > 0 {
			reject.Line += first - 1
		}
		rejects = append(rejects, reject)
	}
	return rejects, nil
}

// RunOr gives the run that a part's header names, else the session's own id.
func RunOr(in dialect.Input, id string) transcript.RunID {
	if run := in.Headers[dialect.HeaderRun]; run != "" {
		return transcript.RunID(run)
	}
	return transcript.RunID(id)
}

// Folder gives the element of a file's name that follows a folder of the given name, "" where there is none. Either kind of
// slash parts elements.
func Folder(path, name string) string {
	elements := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	for i := len(elements) - 2; i >= 0; i-- {
		if elements[i] == name {
			return elements[i+1]
		}
	}
	return ""
}

// ByBeginning makes a run id of how a session begins that has no id: its messages up to the first of the model's. "" as long
// as the model has said nothing, since sessions often begin with the same words.
func ByBeginning(program string, messages []transcript.Message) transcript.RunID {
	var pieces []string
	for i := range messages {
		m := &messages[i]
		thoughts := m.Role == transcript.RoleAssistant && m.Text == "" && len(m.Calls) == 0 // more may follow
		if m.Role == transcript.RoleSystem || m.Role == transcript.RoleHarness || thoughts {
			continue
		}
		pieces = append(pieces, string(m.Role), m.Text)
		for _, call := range m.Calls {
			pieces = append(pieces, call.ID, string(call.Tool), call.Arguments)
		}
		if m.Role == transcript.RoleAssistant {
			return dialect.DeriveRunID(program, pieces...)
		}
	}
	return ""
}

// Unanswered refuses a session that has no id and no answer of the model's yet.
func Unanswered() dialect.Reject {
	return dialect.Reject{
		Reason:  dialect.ReasonMissingField,
		Message: "nothing says which session this is of, and the model has said nothing yet; send the file under its own name, or give it the header " + dialect.HeaderRun,
	}
}

// Nameless refuses a record whose session is not known.
func Nameless() dialect.Reject {
	return dialect.Reject{
		Reason:  dialect.ReasonMissingField,
		Message: "nothing says which session this is of; send the file from its first line, or give it the header " + dialect.HeaderRun,
	}
}
