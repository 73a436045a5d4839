// Package exchange reads what went over the wire between a program and a model: requests and responses of the
// interfaces of OpenAI (chat completions and Responses), Anthropic, Gemini and Bedrock (Converse), streamed or whole.
//
// Every request repeats the conversation so far. Each exchange becomes the history that its request holds, with the
// answer at its end, and all of them are copies of one conversation: what is said at one place is one message, and what
// a generation used is counted with its answer, once. An answer that never came says nothing.
package exchange

import (
	"cmp"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Exchange is one request with its response.
type Exchange struct {
	Request  []byte           // JSON
	Response []byte           // JSON, a list of chunks, lines of them, server-sent events, or Amazon's stream of events
	Run      transcript.RunID // "" where the log does not say
	Time     time.Time        // of the response, where known
	Meta     transcript.Meta  // what the log says beside them
}

// Book gathers the exchanges of one input.
type Book struct {
	fragments []transcript.Fragment
	chain     map[string]link // by the id of a response: where the conversation stands after it
}

// link is where a conversation stands.
type link struct {
	run   transcript.RunID
	count int // messages so far
}

// NewBook begins with nothing.
func NewBook() *Book { return &Book{chain: make(map[string]link)} }

// Fragments gives what was read, one for each exchange.
func (b *Book) Fragments() []transcript.Fragment { return b.fragments }

// talk is an exchange in the common words.
type talk struct {
	provider string
	model    string
	history  []transcript.Message
	answer   []transcript.Message
	id       string // of the response
	previous string // the response that the request goes on from, in place of a history
	created  time.Time
	chains   bool // later requests may go on from its id
	failed   bool // the interface gave an error in place of an answer
}

// Add reads an exchange. Its error is a Reject whose pointer begins with /request or /response.
func (b *Book) Add(e Exchange) error {
	t, err := read(&e)
	if err != nil {
		return err
	}
	first := 0
	run := e.Run
	if t.previous != "" {
		before, known := b.chain[t.previous]
		switch {
		case e.Run != "":
			first = transcript.Unplaced // as it would be in an input of its own
		case known:
			run, first = before.run, before.count
		default:
			return dialect.Reject{
				Reason: dialect.ReasonNoCommonIDs, Pointer: "/request/previous_response_id",
				Message: "the request goes on from a response that is not in this input; send the exchanges of a conversation together, or give them a session_id",
			}
		}
	}
	if run == "" {
		run = t.runID()
	}
	if run == "" && t.failed {
		return nil // a request that failed, which is sent again: nothing was said, and no call failed
	}
	if run == "" {
		return dialect.Reject{
			Reason:  dialect.ReasonMissingField,
			Message: "the request got no answer and does not say which conversation it is of; give it a session_id, or leave it out",
		}
	}
	if first == transcript.Unplaced && (t.id == "" || len(t.answer) == 0) {
		return nil // it got no answer and is sent again: nothing tells that from a second one
	}
	at := e.Time
	if at.IsZero() {
		at = t.created
	}
	for i := range t.answer {
		t.answer[i].Time, t.answer[i].Provider = at, t.provider
		if t.answer[i].Model == "" {
			t.answer[i].Model = t.model
		}
	}
	meta := e.Meta
	meta.ID, meta.Provider = run, t.provider
	if meta.Model == "" {
		meta.Model = t.model
	}
	messages := append(t.history, t.answer...)
	if t.id != "" && t.chains {
		t.link(messages, first == transcript.Unplaced, at)
	}
	b.fragments = append(b.fragments, transcript.Fragment{Meta: meta, First: first, Snapshot: first == 0, Messages: messages})
	if t.id != "" && len(t.answer) > 0 && first != transcript.Unplaced {
		b.chain[t.id] = link{run, first + len(messages)}
	}
	return nil
}

// link names the last message of an answer after its response, so that what goes on from it finds its place where it
// comes in another input. There nothing else says where it stands: each message follows the one before it.
func (t *talk) link(messages []transcript.Message, unplaced bool, at time.Time) {
	messages[len(messages)-1].ID = t.id
	if !unplaced {
		return
	}
	parent := t.previous
	for i := range messages {
		m := &messages[i]
		if i < len(messages)-1 {
			m.ID = t.id + "/" + strconv.Itoa(i)
		}
		m.Parent, m.Seq = parent, int64(i)
		if m.Role == transcript.RoleAssistant {
			m.Generation = t.id // by which its items are one turn, wherever they stand
		}
		if m.Time.IsZero() {
			m.Time = at
		}
		parent = m.ID
	}
}

// read brings an exchange to the common words.
func read(e *Exchange) (*talk, error) {
	shape, err := record.ShapeOf(e.Request)
	if err != nil {
		return nil, record.Refuse(err).Within(0, "/request")
	}
	request := shape.First()
	events, err := eventsOf(e.Response)
	if err != nil {
		return nil, record.Refuse(err).Within(0, "/response")
	}
	t := &talk{model: cmp.Or(request.Text("model"), request.Text("modelId"), e.Meta.Model)}
	if err := t.readAnswer(events); err != nil {
		return nil, record.Refuse(err).Within(0, "/response")
	}
	t.failed = t.isSilent() && anyFailed(events)
	if err := t.readHistory(request); err != nil {
		return nil, record.Refuse(err).Within(0, "/request")
	}
	for i := range t.history {
		// Ids of histories are those that the program gave; those of answers are the provider's. Positions tell more.
		t.history[i].ID = ""
	}
	if request.Kind("contents") == '[' {
		nameless(t.history)
		nameless(t.answer)
	}
	return t, nil
}

// nameless takes the ids off the calls of Gemini's contents. The interface pairs by name and order; programs give calls
// that came without ids some of their own, by which a call and its repetition would be two.
func nameless(messages []transcript.Message) {
	for i := range messages {
		for k := range messages[i].Calls {
			messages[i].Calls[k].ID = ""
		}
		for k := range messages[i].Results {
			messages[i].Results[k].CallID = ""
		}
	}
}

// IsRequest tells whether an object is a request to a model.
func IsRequest(m dialect.Members) bool {
	switch {
	case m.Kind("messages") == '[', m.Kind("contents") == '[':
		return true
	case m.Kind("input") == '[' || m.Kind("input") == '"':
		return m.Has("model")
	}
	return false
}

// IsResponse tells whether an object is the response of a model, or a chunk of one.
func IsResponse(m dialect.Members) bool { return protocolOf(m) != "" }

// list makes a JSON list of one value.
func list(value jsontext.Value) jsontext.Value {
	out := make(jsontext.Value, 0, len(value)+2)
	return append(append(append(out, '['), value...), ']')
}

// Answer is a response without its request.
type Answer struct {
	Messages []transcript.Message
	ID       string // of the response, where it has one
	Provider string
}

// ReadAnswer reads a response alone. One that is of no known interface, an error above all, has no messages.
func ReadAnswer(response []byte) (Answer, error) {
	events, err := eventsOf(response)
	if err != nil {
		return Answer{}, err
	}
	t := &talk{}
	if err := t.readAnswer(events); err != nil {
		return Answer{}, err
	}
	for i := range t.answer {
		m := &t.answer[i]
		m.Time, m.Provider = t.created, t.provider
		if m.Model == "" {
			m.Model = t.model
		}
	}
	return Answer{Messages: t.answer, ID: t.id, Provider: t.provider}, nil
}
