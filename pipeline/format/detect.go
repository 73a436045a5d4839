package format

import (
	"fmt"
	"slices"
	"strings"

	"errata/pipeline/format/answers"
	"errata/pipeline/format/antigravity"
	"errata/pipeline/format/atif"
	"errata/pipeline/format/cassette"
	"errata/pipeline/format/claudecode"
	"errata/pipeline/format/claudestream"
	"errata/pipeline/format/codex"
	"errata/pipeline/format/copilotcli"
	"errata/pipeline/format/cursor"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/droid"
	"errata/pipeline/format/envelope"
	"errata/pipeline/format/gatewaylog"
	"errata/pipeline/format/geminicli"
	"errata/pipeline/format/grok"
	"errata/pipeline/format/hermes"
	"errata/pipeline/format/inspect"
	"errata/pipeline/format/intercode"
	"errata/pipeline/format/jaeger"
	"errata/pipeline/format/kimi"
	"errata/pipeline/format/langfuse"
	"errata/pipeline/format/langsmith"
	"errata/pipeline/format/mcplog"
	"errata/pipeline/format/mint"
	"errata/pipeline/format/openclaw"
	"errata/pipeline/format/opencode"
	"errata/pipeline/format/openhands"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/phoenix"
	"errata/pipeline/format/pi"
	"errata/pipeline/format/qwen"
	"errata/pipeline/format/record"
	"errata/pipeline/format/sweagent"
	"errata/pipeline/format/tapeagents"
	"errata/pipeline/format/tau2"
	"errata/pipeline/format/taubench"
	"errata/pipeline/format/tempo"
	"errata/pipeline/format/toolbench"
	"errata/pipeline/format/whoandwhen"
)

// Dialects gives every dialect that can be read. Their order does not matter: two never claim the same input.
func Dialects() []*dialect.Dialect {
	return []*dialect.Dialect{
		&envelope.Dialect,
		&claudecode.Dialect,
		&claudestream.Dialect,
		&codex.Dialect,
		&mcplog.Dialect,
		&cassette.Dialect,
		&pi.Dialect,
		&geminicli.Dialect,
		&copilotcli.Dialect,
		&qwen.Dialect,
		&droid.Dialect,
		&cursor.Dialect,
		&grok.Dialect,
		&antigravity.Dialect,
		&hermes.Dialect,
		&openclaw.Dialect,
		&kimi.Dialect,
		&gatewaylog.Dialect,
		&answers.Dialect,
		&otlp.Dialect,
		&jaeger.Dialect,
		&tempo.Dialect,
		&langfuse.Dialect,
		&langsmith.Dialect,
		&phoenix.Dialect,
		&taubench.Dialect,
		&tau2.Dialect,
		&atif.Dialect,
		&inspect.Dialect,
		&sweagent.Dialect,
		&openhands.Dialect,
		&opencode.Dialect,
		&tapeagents.Dialect,
		&whoandwhen.Dialect,
		&toolbench.Dialect,
		&mint.Dialect,
		&intercode.Dialect,
	}
}

// Names gives the names of all dialects, sorted.
func Names() []string {
	var names []string
	for _, d := range Dialects() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return names
}

// ByName finds a dialect, nil where there is none of that name.
func ByName(name string) *dialect.Dialect {
	for _, d := range Dialects() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Detect tells the dialect of an input: the one that the header errata-format names, else the one that claims its
// beginning. Its error is a Reject.
func Detect(in dialect.Input) (*dialect.Dialect, error) {
	d, _, err := detect(in)
	return d, err
}

// detect gives the shape beside the dialect, which decoding needs too.
func detect(in dialect.Input) (*dialect.Dialect, dialect.Shape, error) {
	shape, damage := record.ShapeOf(in.Value)
	if name := in.Headers[dialect.HeaderFormat]; name != "" {
		d := ByName(name)
		if d == nil {
			return nil, shape, dialect.Reject{
				Reason:  dialect.ReasonUnknownFormat,
				Message: fmt.Sprintf("%q is no format; %s is one of %s", name, dialect.HeaderFormat, strings.Join(Names(), ", ")),
			}
		}
		if len(shape.Heads) == 0 && damage != nil && !d.Detect(shape) {
			return nil, shape, damage
		}
		return d, shape, nil
	}
	for _, d := range Dialects() {
		if d.Detect(shape) {
			return d, shape, nil
		}
	}
	if damage != nil {
		return nil, shape, damage
	}
	return nil, shape, unknown(shape)
}

// unknown says what was seen of an input that no dialect claims.
func unknown(shape dialect.Shape) dialect.Reject {
	const most = 8
	var seen []string
	for _, member := range shape.First() {
		if len(seen) == most {
			seen = append(seen, "…")
			break
		}
		seen = append(seen, fmt.Sprintf("%.40q", member.Name))
	}
	what := "it holds no JSON object"
	if len(seen) > 0 {
		what = "its keys are " + strings.Join(seen, ", ")
	}
	return dialect.Reject{
		Reason: dialect.ReasonUnknownFormat,
		Message: fmt.Sprintf("no format begins like this (%s); send an %s record, or name the format: %s",
			what, envelope.Schema, strings.Join(Names(), ", ")),
	}
}
