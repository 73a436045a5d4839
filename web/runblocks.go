package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/transcript"
	"errata/web/ui"
	"errata/web/view"
)

// Bounds of what is shown of one text: what is beyond the first opens on demand, what is beyond the second is in the data.
const (
	shownBytes  = 4 << 10
	openedBytes = 64 << 10
	roomBytes   = 1 << 20 // of all texts of a page that open on demand
	wholeBytes  = 4 << 20 // of a call that stands alone
)

// textOf cuts a text to what is shown.
func textOf(text string) view.Text {
	head, rest := ui.Cut(text, shownBytes)
	opened, leftOut := ui.Cut(rest, openedBytes)
	t := view.Text{Head: ui.Visible(head), Rest: ui.Visible(opened)}
	if rest != "" {
		t.More = "Show " + ui.Short(float64(len(opened))) + "B more"
	}
	if leftOut != "" {
		t.LeftOut = ui.Short(float64(len(leftOut))) + "B more are in the data of this page."
	}
	return t
}

// textOfCall cuts a text of a call. What is beyond the first bytes opens on demand as long as the page has room for it; else,
// and where it is too long to be opened, a link leads to the call alone.
func (v *runView) textOfCall(text string, number int) view.Text {
	if v.whole {
		head, leftOut := ui.Cut(text, wholeBytes)
		t := view.Text{Head: ui.Visible(head)}
		if leftOut != "" {
			t.LeftOut = ui.Short(float64(len(leftOut))) + "B more are in the data of this run."
		}
		return t
	}
	t := textOf(text)
	if t.Rest == "" {
		return t
	}
	if rest := min(len(text)-shownBytes, openedBytes); rest <= v.room && t.LeftOut == "" {
		v.room -= rest
		return t
	}
	t.Rest, t.More, t.LeftOut = "", "", ""
	t.Whole = ui.Link{Label: "Show all " + ui.Short(float64(len(text))) + "B", Href: v.address + "/calls/" + strconv.Itoa(number)}
	return t
}

// said cuts a text of a message. What is beyond the first bytes opens on demand as long as the page has room for it.
func (v *runView) said(text string) view.Text {
	t := textOf(text)
	if len(t.Rest) > v.room {
		t.Rest, t.More = "", ""
		t.LeftOut = ui.Short(float64(len(text)-shownBytes)) + "B more are in the data of this run."
	}
	v.room -= len(t.Rest)
	return t
}

// thread lays out those parts of a thread that are on the page at hand.
func (v *runView) thread(i int, parts []part) view.RunThread {
	t := &v.run.Threads[i]
	out := view.RunThread{ID: "thread-" + strconv.Itoa(i+1), Title: "Thread of the agent"}
	if t.ID != "" {
		out.Title = "Thread of the sub-agent " + short(t.ID)
	}
	if t.ParentCall != nil {
		out.Parent = ui.Link{Label: "Started by call " + short(*t.ParentCall)}
		for at, c := range v.calls {
			if c.ID == *t.ParentCall && at.Thread != t.ID {
				out.Parent = v.link(at)
				out.Parent.Label = "Started by " + out.Parent.Label
			}
		}
	}
	for _, p := range parts {
		if b, ok := v.block(p, out.ID); ok {
			out.Blocks = append(out.Blocks, b)
		}
	}
	if v.last() {
		for _, o := range t.Orphans {
			out.Orphans = append(out.Orphans, textOf(o.Body))
		}
	}
	return out
}

// block lays out a message, or a turn with its calls.
func (v *runView) block(p part, id string) (view.Block, bool) {
	t := &v.run.Threads[p.thread]
	if p.turn == nil {
		return v.messageBlock(t.Messages[p.messages[0]], fmt.Sprintf("%s-m%d", id, p.messages[0]+1))
	}
	b := turnBlock(p.turn, id)
	for _, i := range p.messages {
		v.add(&b.Said, t.Messages[i].Text)
		v.add(&b.Reasoning, t.Messages[i].Reasoning)
	}
	if p.calls {
		b.Calls = v.turnCalls(t.ID, p.turn)
	}
	return b, true
}

func (v *runView) add(to *view.Text, text string) {
	if text == "" {
		return
	}
	if to.Head == "" {
		*to = v.said(text)
		return
	}
	to.Head += "\n" + textOf(text).Head
}

func turnID(thread string, number int) string { return fmt.Sprintf("%s-t%d", thread, number) }

func turnBlock(t *ask.Turn, thread string) view.Block {
	b := view.Block{ID: turnID(thread, t.Number), Class: "turn", Title: "Turn " + strconv.Itoa(t.Number), Time: stamp(t.Time)}
	if t.Model != "" {
		b.Title += " · " + short(t.Model)
	}
	if t.Usage != nil {
		b.Title += " · " + ui.Plural(t.Usage.Total, "token", "tokens")
	}
	if t.Follows != t.Number-1 {
		b.Title += fmt.Sprintf(" · follows turn %d", t.Follows)
	}
	return b
}

func stamp(t time.Time) ui.Time {
	if t.IsZero() {
		return ui.Time{}
	}
	return ui.TimeOf(t)
}

// messageBlock is a message that is no turn. One without text holds results, which stand with their calls.
func (v *runView) messageBlock(m ask.Message, id string) (view.Block, bool) {
	if m.Text == "" && m.Reasoning == "" {
		return view.Block{}, false
	}
	b := view.Block{ID: id, Class: "message " + roleClass(m.Role), Title: short(m.Role), Said: v.said(m.Text), Reasoning: v.said(m.Reasoning)}
	if m.Time != nil {
		b.Time = ui.TimeOf(*m.Time)
	}
	return b, true
}

func roleClass(role string) string {
	if role == "user" {
		return "user"
	}
	return "other"
}

func (v *runView) turnCalls(thread string, t *ask.Turn) []view.RunCall {
	calls := make([]view.RunCall, len(t.Calls))
	for i := range t.Calls {
		calls[i] = v.call(ask.Place{Thread: thread, Turn: t.Number, Index: t.Calls[i].Index}, &t.Calls[i])
	}
	return calls
}

func (v *runView) call(at ask.Place, c *ask.Call) view.RunCall {
	n := v.numbers[at]
	out := view.RunCall{
		ID: anchor(n), Here: v.callAddress(n), Number: "#" + strconv.Itoa(n), Class: callClass(c), Tool: short(c.Tool), Time: stamp(c.Time),
		Arguments: v.textOfCall(orElse(c.Arguments, "(none)"), n), Tags: callTags(c),
	}
	switch {
	case c.Result == nil:
		out.NoResult = "No result was seen."
	case c.Result.Body == "":
		out.NoResult = "The result is empty."
	default:
		out.Result = v.textOfCall(c.Result.Body, n)
		if c.Result.BodyLength > len(c.Result.Body) {
			out.Result.LeftOut = "It was cut when it was stored; the whole has " + ui.Count(int64(c.Result.BodyLength)) + " bytes."
		}
	}
	if c.Error != nil {
		out.Error = errorFacts(c)
	}
	if s, ok := v.episodes[at]; ok {
		v.place(&out, s)
	}
	return out
}

// place shows where a call stands in its episode and what it changed.
func (v *runView) place(out *view.RunCall, s spot) {
	e := v.run.Episodes[s.episode]
	members := v.members(e)
	words := "first error"
	if s.at > 0 {
		words = "attempt " + strconv.Itoa(s.at)
	}
	out.Episode = ui.Link{Label: fmt.Sprintf("episode %d, %s", s.episode+1, words), Href: v.within("#episodes")}
	if s.at+1 < len(members) {
		out.Next = v.link(members[s.at+1])
		out.Next.Label = "next attempt"
	}
	if s.at == 0 {
		return
	}
	before, now := v.calls[members[s.at-1]], v.calls[members[s.at]]
	if before == nil || now == nil {
		return
	}
	c := view.Changes{Since: v.link(members[s.at-1])}
	c.Lines, c.Same = changed(before.Arguments, now.Arguments)
	if before.Tool != now.Tool {
		c.Same = false
		c.Lines = append([]view.Change{{Path: "tool", Before: short(before.Tool), After: short(now.Tool)}}, c.Lines...)
	}
	out.Changes = &c
	out.Repeats = c.Same && before.Result != nil && now.Result != nil && before.Result.Body == now.Result.Body
}

func callTags(c *ask.Call) []view.Tag {
	tags := []view.Tag{{Text: outcome(c), Class: map[string]string{"ok": "good", "error": "bad"}[outcome(c)]}}
	if c.Rule != nil && c.Error != nil {
		tags[0].Title = "by the rule " + *c.Rule
	}
	if c.Malformed {
		tags = append(tags, view.Tag{Text: "arguments do not parse", Class: "note"})
	}
	if c.Error == nil {
		return tags
	}
	tags = append(tags, view.Tag{Text: short(c.Error.Code), Class: "bad mono", Title: "code"})
	if c.Error.Label != nil {
		for _, l := range labels {
			if l.name == *c.Error.Label {
				tags = append(tags, view.Tag{Text: "next: " + strings.ToLower(l.label), Title: l.meaning})
			}
		}
	}
	if c.Error.Chain > 1 {
		tags = append(tags, view.Tag{Text: "begins " + ui.Plural(int64(c.Error.Chain), "repeat", "repeats"), Class: "bad"})
	}
	for _, f := range c.Error.Findings {
		tags = append(tags, view.Tag{Text: strings.ReplaceAll(f, "_", " "), Class: "note", Title: "breach of the contract of error payloads"})
	}
	return tags
}

// errorFacts is the error object as it was read, beside the raw text above it.
func errorFacts(c *ask.Call) []view.Fact {
	o := c.Error.Object
	facts := []view.Fact{{Label: "Shape", Value: short(o.Schema)}, {Label: "Code as sent", Value: orElse(short(c.Error.RawCode), ui.Unknown)}}
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, view.Fact{Label: label, Value: short(value)})
		}
	}
	add("Message", o.Message)
	switch o.Retryable {
	case transcript.True:
		add("Retryable", "true")
	case transcript.False:
		add("Retryable", "false")
	}
	add("Next action", o.NextAction)
	add("Hint", o.Hint)
	if o.RetryAfterMS != nil {
		add("Retry after", ui.Count(*o.RetryAfterMS)+" ms")
	}
	if o.HTTPStatus != 0 {
		add("HTTP status", strconv.Itoa(o.HTTPStatus))
	}
	const most = 10
	for _, f := range o.Fields[:min(most, len(o.Fields))] {
		text := strings.TrimSpace(string(f.Code) + " " + f.Message)
		if f.Received != nil {
			text += " · received " + *f.Received
		}
		if f.DidYouMean != nil {
			text += " · did you mean " + *f.DidYouMean
		}
		if len(f.Allowed) > 0 {
			text += " · allowed " + strings.Join(f.Allowed, ", ")
		}
		add("Field "+ui.Visible(f.Pointer), text)
	}
	facts = append(facts, view.Fact{Label: "Body", Value: ui.Plural(c.Error.BodyTokens, "token", "tokens")})
	return facts
}
