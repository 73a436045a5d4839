package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"errata/transcript"

	"github.com/cespare/xxhash/v2"
)

// Argument leaves of one call that are compared with others. More would let one hostile call cost what thousands do.
const (
	defaultMaxLeaves = 256
	mostLeaves       = 4096
)

// Rules is the configuration of the definitions: what the specification leaves to users. It is read from a JSON file
// whose members are the ones below; docs/rules.md describes each. A list that is given stands in place of the default
// one. Patterns are regular expressions in RE2 syntax.
type Rules struct {
	Openings      []string                      `json:"openings,omitempty"`      // how the text of an error begins
	Closings      []string                      `json:"closings,omitempty"`      // the last line of the text of an error, below an empty one
	ExitLines     []string                      `json:"exit_lines,omitempty"`    // patterns of a whole line, the exit status in their first group
	Refusals      []string                      `json:"refusals,omitempty"`      // patterns of the text of a result: a person said no
	Cancellations []string                      `json:"cancellations,omitempty"` // patterns of the text of a result: the call never ran
	UnknownTools  []string                      `json:"unknown_tools,omitempty"` // patterns of an error's message: there is no such tool
	BenignExits   []BenignExit                  `json:"benign_exits,omitempty"`  // commands that say no by their exit status
	Volatile      []VolatilePattern             `json:"volatile,omitempty"`      // parts of messages that differ from call to call, beside the fixed list
	Tools         map[transcript.Tool]ToolRules `json:"tools,omitempty"`
	MinRuns       int                           `json:"min_runs"`   // distinct runs that an alias candidate needs to be shown
	MaxLeaves     int                           `json:"max_leaves"` // argument leaves of one call that are compared, in the order of their pointers

	exitLines, refusals, cancellations, unknownTools []matcher
	volatile                                         []volatilePart
}

// BenignExit is a command whose exit status means no, or different, and not that it failed.
type BenignExit struct {
	Command  string `json:"command"` // one word, or two: "git diff"
	Statuses []int  `json:"statuses"`
}

// VolatilePattern is a part of messages that must not tell two codes apart.
type VolatilePattern struct {
	Pattern     string `json:"pattern"`
	Placeholder string `json:"placeholder,omitempty"` // "<id>" where none is given
}

// ToolRules is the configuration of one tool.
type ToolRules struct {
	Volatile  []string        `json:"volatile,omitempty"`   // top-level arguments that do not tell two calls apart
	Threshold *float64        `json:"threshold,omitempty"`  // similarity at which a call belongs to an episode; nil: 0.5
	Identity  []string        `json:"identity,omitempty"`   // JSON Pointers of arguments that must be equal
	Any       bool            `json:"any,omitempty"`        // every call of the tool belongs
	OpenEnded map[string]bool `json:"open_ended,omitempty"` // JSON Pointer → whether its accepted values are open-ended
}

// DefaultRules is the configuration that holds where none is given.
func DefaultRules() *Rules {
	r := &Rules{MinRuns: 3, MaxLeaves: defaultMaxLeaves}
	r.fill()
	if err := r.compile(); err != nil {
		panic(err) // the patterns are constants, and compiled by every test
	}
	return r
}

// fill gives the lists that the configuration does not name their defaults, which nothing shares.
func (r *Rules) fill() {
	orDefault(&r.Openings, defaultOpenings)
	orDefault(&r.Closings, defaultClosings)
	orDefault(&r.ExitLines, []string{
		exitLine.pattern.String(),
		`(?i)^exitcode: (-?\d+) \(execution (?:failed|succeeded)\)$`,
		`(?i)^<(?:returncode|exit_code|exitcode)>(-?\d+)</(?:returncode|exit_code|exitcode)>$`,
		`(?i)^<(?:shellid: \S+ completed|command \S+ exited|exited) with exit code (-?\d+)>$`,
		`(?i)^(?:error: )?command failed \(exit code: (-?\d+)\)$`,
	})
	orDefault(&r.Refusals, defaultRefusals)
	orDefault(&r.Cancellations, defaultCancellations)
	orDefault(&r.UnknownTools, defaultUnknownTools)
	var benign []BenignExit
	for _, command := range []string{"grep", "egrep", "fgrep", "zgrep", "rg", "git grep", "diff", "git diff", "cmp", "test", "[", "[["} {
		benign = append(benign, BenignExit{command, []int{1}})
	}
	orDefault(&r.BenignExits, benign)
}

// orDefault keeps a list that was given, an empty one too.
func orDefault[E any](list *[]E, standard []E) {
	if *list == nil {
		*list = slices.Clone(standard)
	}
}

// ParseRules reads a configuration file. What it does not name keeps its default.
func ParseRules(data []byte) (*Rules, error) {
	r := &Rules{MinRuns: 3, MaxLeaves: defaultMaxLeaves}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("read rules: %w", placed(err, d.InputOffset(), data))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("read rules: something follows the object at byte %d: keep one JSON object in the file", d.InputOffset())
	}
	r.fill()
	if err := r.validate(); err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	if err := r.compile(); err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return r, nil
}

// placed says where in a JSON file an error is, and how to mend the usual one.
func placed(err error, offset int64, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	}
	if errors.As(err, &kind) {
		offset = kind.Offset
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte{'\n'})
	if strings.Contains(err.Error(), "unknown field") {
		return fmt.Errorf("near line %d: %w: mend its spelling or remove it", line, err)
	}
	return fmt.Errorf("near line %d: %w", line, err)
}

func (r *Rules) validate() error {
	if r.MinRuns < 1 {
		return fmt.Errorf("min_runs is %d: give 1 or more", r.MinRuns)
	}
	if r.MaxLeaves < 1 || r.MaxLeaves > mostLeaves {
		return fmt.Errorf("max_leaves is %d: give a number from 1 to %d", r.MaxLeaves, mostLeaves)
	}
	for i, opening := range r.Openings {
		if strings.TrimSpace(opening) == "" {
			return fmt.Errorf("openings[%d] is empty, which every text begins with: remove it", i)
		}
	}
	for i, closing := range r.Closings {
		if closing != strings.TrimSpace(closing) || closing == "" || strings.Contains(closing, "\n") {
			return fmt.Errorf("closings[%d] is %q: give one line without white space around it", i, closing)
		}
	}
	for i, benign := range r.BenignExits {
		if strings.TrimSpace(benign.Command) == "" || len(benign.Statuses) == 0 {
			return fmt.Errorf("benign_exits[%d] needs a command and its statuses, such as {\"command\": \"grep\", \"statuses\": [1]}", i)
		}
	}
	for name, tool := range r.Tools {
		if t := tool.Threshold; t != nil && (*t < 0 || *t > 1) {
			return fmt.Errorf("tools.%s.threshold is %v: give a number from 0 to 1", name, *t)
		}
		for _, pointer := range tool.Identity {
			if !strings.HasPrefix(pointer, "/") {
				return fmt.Errorf("tools.%s.identity has %q: give a JSON Pointer such as \"/path\"", name, pointer)
			}
		}
		for pointer := range tool.OpenEnded {
			if !strings.HasPrefix(pointer, "/") {
				return fmt.Errorf("tools.%s.open_ended has %q: give a JSON Pointer such as \"/path\"", name, pointer)
			}
		}
	}
	return nil
}

// compile prepares the patterns.
func (r *Rules) compile() error {
	for _, list := range []struct {
		name     string
		sources  []string
		compiled *[]matcher
	}{
		{"exit_lines", r.ExitLines, &r.exitLines},
		{"refusals", r.Refusals, &r.refusals},
		{"cancellations", r.Cancellations, &r.cancellations},
		{"unknown_tools", r.UnknownTools, &r.unknownTools},
	} {
		*list.compiled = nil
		for i, source := range list.sources {
			pattern, err := regexp.Compile(source)
			if err != nil {
				return fmt.Errorf("%s[%d] is no regular expression in RE2 syntax: %w", list.name, i, err)
			}
			if list.name == "exit_lines" && pattern.NumSubexp() < 1 {
				return fmt.Errorf("exit_lines[%d] needs a group around the exit status, such as \"^exit (\\\\d+)$\"", i)
			}
			*list.compiled = append(*list.compiled, newMatcher(pattern))
		}
	}
	r.volatile = nil
	for i, v := range r.Volatile {
		pattern, err := regexp.Compile(v.Pattern)
		if err != nil {
			return fmt.Errorf("volatile[%d].pattern is no regular expression in RE2 syntax: %w", i, err)
		}
		if v.Placeholder == "" {
			v.Placeholder = "<id>"
		}
		r.volatile = append(r.volatile, volatilePart{pattern: pattern, placeholder: v.Placeholder})
	}
	return nil
}

// Digest is equal for equal configurations; it is stored with the facts that were mined under them.
func (r *Rules) Digest() string {
	text, err := json.Marshal(r) // members in order, maps by key
	if err != nil {
		panic(err) // strings, numbers and maps of strings always marshal; a threshold was checked to be finite
	}
	return fmt.Sprintf("%016x", xxhash.Sum64(text))
}

// Identity gives the canonical arguments of a call, its tool's volatile arguments left out, and the hash that is equal
// exactly for identical calls.
func (r *Rules) Identity(call transcript.Call) (transcript.Arguments, uint64) {
	a := transcript.Canonical(call.Arguments).Without(r.Tools[call.Tool].Volatile)
	return a, transcript.Hash(call.Tool, a)
}
