package format

import (
	"bytes"
	"strconv"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Split cuts an input into parts of at most max bytes, each of one run and understood alone: by the dialect's own rule,
// else along the lines of the input. A message that is larger by itself makes a larger part. What cannot be cut is
// rejected beside the good parts.
func Split(in dialect.Input, d *dialect.Dialect, max int) ([]dialect.Part, []dialect.Reject) {
	in.Value = bytes.TrimPrefix(in.Value, []byte("\uFEFF"))
	var parts []dialect.Part
	var rejects []dialect.Reject
	switch {
	case d.Split != nil:
		parts, rejects = d.Split(in, max)
	case isLines(in.Value):
		parts = splitLines(in, d, max)
	default:
		parts = []dialect.Part{{Key: string(firstRun(in, d)), Value: in.Value}}
	}
	for i := range parts {
		inherit(&parts[i], in.Headers)
		parts[i].Headers[dialect.HeaderFormat] = d.Name
	}
	return parts, rejects
}

// isLines tells JSON lines from a single value, and from values that are written over several lines each.
func isLines(value []byte) bool {
	shape, _ := record.ShapeOf(value) // damage to a line is no matter here
	return shape.Container == dialect.Lines && !record.SpansLines(value)
}

// inherit gives a part the headers of the whole that it does not have itself.
func inherit(part *dialect.Part, headers map[string]string) {
	if part.Headers == nil {
		part.Headers = map[string]string{}
	}
	for name, value := range headers {
		if _, own := part.Headers[name]; !own {
			part.Headers[name] = value
		}
	}
}

// splitLines gathers lines into parts. Lines that do not say their run go with the run of the line before them, the
// first ones with that of the first line that says one.
func splitLines(in dialect.Input, d *dialect.Dialect, max int) []dialect.Part {
	gatherer := gatherer{max: max, run: firstRun(in, d)}
	number := 1
	if first, err := strconv.Atoi(in.Headers[dialect.HeaderFirstLine]); err == nil {
		number = first
	}
	for rest := in.Value; len(rest) > 0; number++ {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		gatherer.add(line, runOf(d, line), number)
	}
	gatherer.flush()
	gatherer.markMore()
	return gatherer.parts
}

func runOf(d *dialect.Dialect, line []byte) transcript.RunID {
	if d.RunOf == nil {
		return ""
	}
	return d.RunOf(line)
}

// firstRun gives the run that the input begins with: what its first lines say, else what decoding it gives.
func firstRun(in dialect.Input, d *dialect.Dialect) transcript.RunID {
	for rest := in.Value; len(rest) > 0 && d.RunOf != nil; {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if run := d.RunOf(line); run != "" {
			return run
		}
	}
	out, err := d.Decode(in)
	if err != nil || len(out.Fragments) == 0 {
		return ""
	}
	return out.Fragments[0].Meta.ID
}

// gatherer makes parts of lines.
type gatherer struct {
	max   int
	run   transcript.RunID // of the current part
	lines []byte
	first int // number of the current part's first line
	next  int // number of the line that would follow it
	parts []dialect.Part
}

func (g *gatherer) add(line []byte, run transcript.RunID, number int) {
	if run == "" {
		run = g.run
	}
	fits := len(g.lines)+len(line)+1 <= g.max
	// The line numbers of a part are counted from its first line, so that a gap ends it.
	if len(g.lines) > 0 && (run != g.run || !fits || number != g.next) {
		g.flush()
	}
	if len(g.lines) == 0 {
		g.first = number
	}
	g.run, g.next = run, number+1
	g.lines = append(append(g.lines, line...), '\n')
}

func (g *gatherer) flush() {
	if len(g.lines) == 0 {
		return
	}
	part := dialect.Part{Key: string(g.run), Value: g.lines, Headers: map[string]string{}}
	if g.first > 1 {
		part.Headers[dialect.HeaderFirstLine] = strconv.Itoa(g.first)
	}
	if g.run != "" {
		part.Headers[dialect.HeaderRun] = string(g.run)
	}
	g.parts = append(g.parts, part)
	g.lines = nil
}

// markMore keeps all but the last part of each run from ending it.
func (g *gatherer) markMore() {
	seen := map[string]bool{}
	for i := len(g.parts) - 1; i >= 0; i-- {
		part := &g.parts[i]
		if seen[part.Key] {
			part.Headers[dialect.HeaderEnded] = "false"
		}
		seen[part.Key] = true
	}
}
