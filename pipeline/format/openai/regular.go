package openai

import (
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// DecodeRegular reads a list of messages that is known to be JSON, where every message is of the usual kind: each member
// once, texts where texts are due. It then gives what Decode gives, in one pass over the bytes; where ok is false the list
// is left to Decode, which takes more and says what is wrong. decided tells whether a message of the list can be
// nothing but a chat message.
func DecodeRegular(list []byte) (messages []transcript.Message, decided, ok bool) {
	if list[0] != '[' {
		return nil, false, false
	}
	for element := range record.Elements(list) {
		if element[0] != '{' || len(messages) == record.MaxMessages {
			return nil, false, false
		}
		var m message
		if !m.fill(element) || m.Role == "model" {
			return nil, false, false
		}
		converted, err := m.convert()
		if err != nil {
			return nil, false, false
		}
		messages = append(messages, converted)
		switch m.Role {
		case "tool", "function", "developer":
			decided = true
		}
		decided = decided || m.ToolCalls != nil
	}
	return messages, decided, true
}

// fill takes the members of a message.
func (m *message) fill(object []byte) bool {
	var seen uint32
	for name, value := range record.Fields(object) {
		var bit uint32
		ok := true
		switch string(name) {
		case "id":
			bit, ok = 1<<0, text(value, &m.ID)
		case "role":
			bit, ok = 1<<1, text(value, &m.Role)
		case "name":
			bit, ok = 1<<2, text(value, &m.Name)
		case "content":
			bit, ok = 1<<3, text(value, &m.Content.text)
			m.Content.kind = 'n'
			if value[0] == '"' {
				m.Content.kind = '"'
			}
		case "refusal":
			bit, ok = 1<<4, text(value, &m.Refusal)
		case "reasoning_content":
			bit, ok = 1<<5, text(value, &m.Thoughts)
		case "tool_calls":
			bit, ok = 1<<6, m.fillCalls(value)
		case "tool_call_id":
			bit, ok = 1<<7, text(value, &m.CallID)
		case "variant":
			bit, ok = 1<<8, text(value, &m.Variant)
		case "model":
			bit, ok = 1<<9, text(value, &m.Model)
		case "timestamp":
			bit, ok = 1<<10, fillTime(value, &m.Timestamp)
		case "usage":
			bit, ok = 1<<11, m.fillUsage(value)
		case "is_error":
			bit, ok = 1<<12, fillTruth(value, &m.IsError)
		case "error", "isError", "status", "reasoning", "function_call", "parts":
			return false // what is rare, and what decides the form
		default:
			ok = !record.Escaped(name) // it may be one of the others, in disguise
		}
		if !ok || seen&bit != 0 {
			return false
		}
		seen |= bit
	}
	return true
}

func (m *message) fillCalls(list []byte) bool {
	if list[0] != '[' {
		return false
	}
	m.ToolCalls = make(record.PartList[toolCall], 0, 1)
	for element := range record.Elements(list) {
		var call toolCall
		if element[0] != '{' || len(m.ToolCalls) == record.MaxParts || !call.fill(element) {
			return false
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
	return true
}

func (c *toolCall) fill(object []byte) bool {
	id := false
	for name, value := range record.Fields(object) {
		ok := true
		switch string(name) {
		case "id":
			ok = !id && text(value, &c.ID)
			id = true
		case "function":
			ok = c.Function == nil && value[0] == '{'
			if ok {
				c.Function = new(function)
				ok = c.Function.fill(value)
			}
		case "custom":
			ok = false
		default:
			ok = !record.Escaped(name)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (f *function) fill(object []byte) bool {
	named := false
	for name, value := range record.Fields(object) {
		ok := true
		switch string(name) {
		case "name":
			ok = !named && text(value, &f.Name)
			named = true
		case "arguments":
			ok = f.Arguments.Kind == 0 && value[0] == '"' && text(value, &f.Arguments.Text)
			f.Arguments.Kind = '"'
		default:
			ok = !record.Escaped(name)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (m *message) fillUsage(value []byte) bool {
	if value[0] != '{' {
		return false
	}
	m.Usage = new(field.Usage)
	return m.Usage.Fill(value) || record.Unmarshal(value, m.Usage) == nil
}

func fillTime(value []byte, target *field.Time) bool {
	written, ok := record.TextOrNull(value)
	if !ok {
		return false
	}
	target.Time, ok = field.ParseTime(written)
	return ok
}

func fillTruth(value []byte, target *field.Truth) bool {
	switch value[0] {
	case 't':
		target.State = transcript.True
	case 'f':
		target.State = transcript.False
	default:
		return false
	}
	return true
}

func text(value []byte, target *string) (ok bool) {
	*target, ok = record.TextOrNull(value)
	return ok
}
