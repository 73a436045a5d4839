package assemble

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// maxUsage bounds a token count, so that sums of them cannot overflow.
const maxUsage = 1 << 40

// refuse says why a fragment cannot be placed at all, or nil.
func (l *Limits) refuse(f *transcript.Fragment) *dialect.Reject {
	reject := func(reason dialect.Reason, pointer, text string) *dialect.Reject {
		return &dialect.Reject{Reason: reason, Pointer: pointer, Message: text, Run: transcript.RunID(l.name(string(f.Meta.ID)))}
	}
	if f.Meta.ID == "" {
		return reject(dialect.ReasonMissingField, "/run_id", "the run has no id; give it one in run_id")
	}
	if len(f.Meta.ID) > l.Name || len(f.Thread) > l.Name {
		return reject(dialect.ReasonTooLarge, "/run_id", fmt.Sprintf("the id of the run or thread is longer than %d bytes; shorten it", l.Name))
	}
	if !utf8.ValidString(string(f.Meta.ID)) || !utf8.ValidString(string(f.Thread)) {
		return reject(dialect.ReasonInvalidUTF8, "/run_id", "the id of the run or thread is not valid UTF-8; encode it")
	}
	if f.First < transcript.Unplaced || f.First > math.MaxInt32-len(f.Messages) {
		return reject(dialect.ReasonWrongType, "/first_message", fmt.Sprintf("first_message is %d; it must be from 0 to %d", f.First, math.MaxInt32))
	}
	return nil
}

// cleanMessage gives a message as it is stored: cut to the limits, valid UTF-8, in UTC. It leaves the given one as it is.
func (l *Limits) cleanMessage(in *transcript.Message) (transcript.Message, *dialect.Reject) {
	m := *in
	if len(m.Calls) > l.Parts || len(m.Results) > l.Parts {
		return m, &dialect.Reject{Reason: dialect.ReasonTooLarge, Message: fmt.Sprintf(
			"the message has %d calls and %d results; the limit of each is %d", len(m.Calls), len(m.Results), l.Parts)}
	}
	m.ID, m.Generation, m.Parent = l.name(m.ID), l.name(m.Generation), l.name(m.Parent)
	m.Role = transcript.Role(l.name(string(m.Role)))
	if m.Role == "" {
		m.Role = transcript.RoleHarness
	}
	m.Seq = max(m.Seq, 0)
	m.Time = cleanTime(m.Time)
	m.Provider, m.Model = l.name(m.Provider), l.name(m.Model)
	m.Text, m.Reasoning = l.text(m.Text), l.text(m.Reasoning)
	m.Calls = l.cleanCalls(m.Calls)
	m.Results = l.cleanResults(m.Results)
	if m.Usage != nil {
		m.Usage = cleanUsage(*m.Usage)
	}
	return m, nil
}

func (l *Limits) cleanCalls(in []transcript.Call) []transcript.Call {
	if len(in) == 0 {
		return nil
	}
	out := make([]transcript.Call, len(in))
	for i, c := range in {
		c.ID, c.Tool, c.Actor = l.name(c.ID), transcript.Tool(l.name(string(c.Tool))), transcript.Actor(l.name(string(c.Actor)))
		c.Arguments = l.text(c.Arguments)
		c.Time = cleanTime(c.Time)
		out[i] = c
	}
	return out
}

func (l *Limits) cleanResults(in []transcript.Result) []transcript.Result {
	if len(in) == 0 {
		return nil
	}
	out := make([]transcript.Result, len(in))
	for i, r := range in {
		r.CallID, r.Tool, r.Actor = l.name(r.CallID), transcript.Tool(l.name(string(r.Tool))), transcript.Actor(l.name(string(r.Actor)))
		r.Flag, r.Fate = transcript.Flag(l.name(string(r.Flag))), transcript.Fate(l.name(string(r.Fate)))
		r.ErrorType, r.Variant = l.name(r.ErrorType), transcript.Variant(l.name(string(r.Variant)))
		r.BodyHash = l.name(r.BodyHash)
		r.Body = strings.ToValidUTF8(r.Body, "\uFFFD")
		if len(r.Body) > l.Text {
			if r.BodyLength < len(r.Body) {
				r.BodyLength, r.BodyHash = len(r.Body), hashOf(r.Body)
			}
			r.Body = cut(r.Body, l.Text)
		}
		r.BodyLength = min(r.BodyLength, math.MaxInt32)
		if r.BodyLength <= len(r.Body) {
			r.BodyLength, r.BodyHash = 0, ""
		}
		if r.ExitCode != nil {
			code := min(max(*r.ExitCode, math.MinInt32), math.MaxInt32)
			r.ExitCode = &code
		}
		r.Time = cleanTime(r.Time)
		out[i] = r
	}
	return out
}

// cleanMeta gives what a record says of its run as it is stored.
func (l *Limits) cleanMeta(m transcript.Meta) transcript.Meta {
	m.Format, m.Agent, m.AgentVersion = l.name(m.Format), l.name(m.Agent), l.name(m.AgentVersion)
	m.Provider, m.Model = l.name(m.Provider), l.name(m.Model)
	m.Variant, m.EndReason = transcript.Variant(l.name(string(m.Variant))), transcript.EndReason(l.name(string(m.EndReason)))
	if len(m.Attributes) > 0 {
		names := slices.Sorted(maps.Keys(m.Attributes))
		kept := make(map[string]string, len(names))
		for _, name := range names[:min(len(names), l.Attributes)] {
			kept[l.name(name)] = l.name(m.Attributes[name])
		}
		m.Attributes = kept
	} else {
		m.Attributes = nil
	}
	var shadow []transcript.Shadow
	for _, s := range m.Shadow[:min(len(m.Shadow), l.Attributes)] {
		shadow = append(shadow, transcript.Shadow{CallID: l.name(s.CallID), Variant: transcript.Variant(l.name(string(s.Variant))), Payload: l.text(s.Payload)})
	}
	m.Shadow = nil
	return m.Join(transcript.Meta{Shadow: shadow})
}

// bound leaves out attributes and shadow payloads that would take a run beyond its limit of them.
func (l *Limits) bound(m, known *transcript.Meta) {
	if len(m.Attributes)+len(known.Attributes) > l.Attributes {
		maps.DeleteFunc(m.Attributes, func(name, _ string) bool { _, ok := known.Attributes[name]; return !ok })
	}
	if len(m.Shadow)+len(known.Shadow) > l.Attributes && len(known.Shadow) > 0 {
		m.Shadow = slices.DeleteFunc(m.Shadow, func(s transcript.Shadow) bool {
			return !slices.ContainsFunc(known.Shadow, func(k transcript.Shadow) bool { return k.CallID == s.CallID && k.Variant == s.Variant })
		})
	}
}

// name cuts an id or a name. A cut one keeps a hash of the whole, so that two of them stay two.
func (l *Limits) name(s string) string { return cutWithHash(s, l.Name) }

// text cuts a text or arguments, and says so in them: cut arguments are not whole JSON and must not pass for equal.
func (l *Limits) text(s string) string { return cutWithHash(s, l.Text) }

func cutWithHash(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	note := fmt.Sprintf("… [cut, %d bytes, %s]", len(s), hashOf(s))
	return cut(s, max(limit-len(note), 0)) + note
}

// cut shortens a string to at most n bytes at the border of a character.
func cut(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

func hashOf(s string) string { return strconv.FormatUint(xxhash.Sum64String(s), 16) }

// cleanTime brings a time to UTC. One that cannot be meant, and could not be stored, is none.
func cleanTime(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1970 || t.Year() > 2261 {
		return time.Time{}
	}
	return t.UTC().Round(0)
}

func cleanUsage(u transcript.Usage) *transcript.Usage {
	bound := func(n int64) int64 { return min(max(n, 0), maxUsage) }
	return &transcript.Usage{
		Input: bound(u.Input), CacheRead: bound(u.CacheRead), CacheWrite: bound(u.CacheWrite), Output: bound(u.Output),
	}
}
