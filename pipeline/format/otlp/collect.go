package otlp

import (
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// Collected is what was read of an export of spans so far.
type Collected struct {
	Spans   []Span
	Rejects []dialect.Reject
}

// hopeless tells an input of which nothing can be used, however much of it comes.
func (c *Collected) hopeless() bool {
	const most = 1000
	return len(c.Spans) == 0 && len(c.Rejects) >= most
}

// Collect reads an input value by value with a function that adds spans to what is collected, and makes one output of
// all of them. What the function refuses is a reject with its place, and the values beside it are read.
func Collect(in dialect.Input, c *Collected, read func(record.Record) error) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	for unit, err := range record.Each(in.Value, shape.Container) {
		if c.hopeless() {
			break
		}
		if err != nil {
			c.Rejects = append(c.Rejects, record.Refuse(err))
			continue
		}
		if err := read(unit); err != nil {
			c.Rejects = append(c.Rejects, unit.Place(record.Refuse(err)))
		}
	}
	out := FromSpans(c.Spans)
	out.Rejects = append(c.Rejects, out.Rejects...)
	return out, nil
}
