package simulate

import "time"

// message is one message of a thread as its provider writes it.
type message struct {
	json raw
	at   time.Time
}

// written is one thread as messages.
type written struct {
	id, parent string
	messages   []message
	shadows    []object
}

// system is what the operator tells the model; only the chat form has it among
// its messages.
const system = "You are a support agent. Use the tools to settle what the customer asks for."

// write gives the thread in a form.
func (s *stage) write(name string) written {
	w := written{id: s.thread, parent: s.parent}
	form := openAIForm
	switch name {
	case Anthropic:
		form = anthropicForm
	case Gemini:
		form = geminiForm
	default:
		w.add(object{{"role", "system"}, {"content", system}}, s.items[0].at)
	}
	for _, it := range s.items {
		if it.turn == nil {
			w.add(form.user(it.user), it.at)
			continue
		}
		t := it.turn
		w.add(form.turn(t), t.at)
		for _, results := range form.results(t.answered()) {
			w.add(results, t.resultAt)
		}
		for _, c := range t.calls {
			if c.shadow != nil {
				w.shadows = append(w.shadows, object{{"call_id", c.id}, {"variant", StructuredV2}, {"payload", c.shadow}})
			}
		}
	}
	return w
}

// form is how a provider writes what a person says, what the model says, and
// what the tools answer.
type form struct {
	user    func(text string) object
	turn    func(*turn) object
	results func([]*call) []object
}

// add takes one message up with its time.
func (w *written) add(m object, at time.Time) {
	m = append(m, field{"timestamp", at.UTC().Format(time.RFC3339Nano)})
	w.messages = append(w.messages, message{json: m.appendTo(nil), at: at})
}

// answered are the calls of the turn that have a result.
func (t *turn) answered() []*call {
	var cs []*call
	for _, c := range t.calls {
		if c.outcome != Pending {
			cs = append(cs, c)
		}
	}
	return cs
}

// failed says that the provider flags the result as an error, which a declined
// and a cancelled call share.
func (c *call) failed() bool { return c.outcome != OK }

// marked adds the variant where the result carries one.
func (c *call) marked(o object) object {
	if c.variant != "" {
		o = append(o, field{"variant", c.variant})
	}
	return o
}

// openAIForm is the form of chat completions: arguments as text, one message
// for each result, cached and reasoning tokens within the totals.
var openAIForm = form{
	user: func(text string) object { return object{{"role", "user"}, {"content", text}} },
	turn: func(t *turn) object {
		m := object{{"role", "assistant"}, {"content", nil}}
		if t.text != "" {
			m[1].value = t.text
		}
		var calls []object
		for _, c := range t.calls {
			calls = append(calls, object{{"id", c.id}, {"type", "function"},
				{"function", object{{"name", c.tool}, {"arguments", c.args.text()}}}})
		}
		if len(calls) > 0 {
			m = append(m, field{"tool_calls", calls})
		}
		in := t.tokens.Input + t.tokens.CacheRead + t.tokens.CacheWrite
		return append(m, field{"usage", object{{"prompt_tokens", in}, {"completion_tokens", t.tokens.Output},
			{"total_tokens", in + t.tokens.Output}, {"prompt_tokens_details", object{{"cached_tokens", t.tokens.CacheRead}}},
			{"completion_tokens_details", object{{"reasoning_tokens", t.thoughts}}}}})
	},
	results: func(calls []*call) []object {
		ms := make([]object, len(calls))
		for i, c := range calls {
			ms[i] = c.marked(object{{"role", "tool"}, {"tool_call_id", c.id}, {"content", c.body}})
		}
		return ms
	},
}

// anthropicForm is the form of blocks: all results of a turn in one message,
// flagged where they failed, cached tokens beside the input.
var anthropicForm = form{
	user: func(text string) object {
		return object{{"role", "user"}, {"content", []object{{{"type", "text"}, {"text", text}}}}}
	},
	turn: func(t *turn) object {
		var blocks []object
		if t.text != "" {
			blocks = append(blocks, object{{"type", "text"}, {"text", t.text}})
		}
		for _, c := range t.calls {
			blocks = append(blocks, object{{"type", "tool_use"}, {"id", c.id}, {"name", c.tool}, {"input", c.args}})
		}
		return object{{"role", "assistant"}, {"content", blocks}, {"usage", object{{"input_tokens", t.tokens.Input},
			{"cache_read_input_tokens", t.tokens.CacheRead}, {"cache_creation_input_tokens", t.tokens.CacheWrite},
			{"output_tokens", t.tokens.Output}}}}
	},
	results: func(calls []*call) []object {
		var blocks []object
		for _, c := range calls {
			b := object{{"type", "tool_result"}, {"tool_use_id", c.id}, {"content", c.body}}
			if c.failed() {
				b = append(b, field{"is_error", true})
			}
			blocks = append(blocks, c.marked(b))
		}
		if len(blocks) == 0 {
			return nil
		}
		return []object{{{"role", "user"}, {"content", blocks}}}
	},
}

// geminiForm is the form of parts: results as objects under their function's
// name, cached tokens within the prompt, thoughts beside the candidates.
var geminiForm = form{
	user: func(text string) object {
		return object{{"role", "user"}, {"parts", []object{{{"text", text}}}}}
	},
	turn: func(t *turn) object {
		var parts []object
		if t.text != "" {
			parts = append(parts, object{{"text", t.text}})
		}
		for _, c := range t.calls {
			parts = append(parts, object{{"functionCall", object{{"id", c.id}, {"name", c.tool}, {"args", c.args}}}})
		}
		in := t.tokens.Input + t.tokens.CacheRead + t.tokens.CacheWrite
		return object{{"role", "model"}, {"parts", parts}, {"usage", object{{"promptTokenCount", in},
			{"cachedContentTokenCount", t.tokens.CacheRead}, {"candidatesTokenCount", t.tokens.Output - t.thoughts},
			{"thoughtsTokenCount", t.thoughts}, {"totalTokenCount", in + t.tokens.Output}}}}
	},
	results: func(calls []*call) []object {
		var parts []object
		for _, c := range calls {
			response := any(raw(c.body))
			if c.body == "" || c.body[0] != '{' {
				response = object{{"error", c.body}}
			}
			parts = append(parts, object{{"functionResponse", c.marked(object{{"id", c.id}, {"name", c.tool}, {"response", response}})}})
		}
		if len(parts) == 0 {
			return nil
		}
		return []object{{{"role", "user"}, {"parts", parts}}}
	},
}
