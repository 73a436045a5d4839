package format

import (
	"bytes"
	"fmt"
	"strconv"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Limits bound what one input may cost.
type Limits struct {
	Bytes   int // size of an input; 0: any
	Rejects int // rejects told one by one, the others are only counted; 0: all
	Depth   int // nesting of arrays and objects, at most record.MaxDepth; 0: that
}

// DefaultLimits are those of a record from Kafka.
func DefaultLimits() Limits { return Limits{Bytes: 16 << 20, Rejects: 1000} }

// Decode turns an input into the fragments that it holds, and into rejects for the parts that cannot be used. Its
// error, a Reject, means that nothing could be used; the dialect may then be known all the same.
func Decode(in dialect.Input, limits Limits) (dialect.Output, *dialect.Dialect, error) {
	if limits.Bytes > 0 && len(in.Value) > limits.Bytes {
		return dialect.Output{}, nil, dialect.Reject{
			Reason: dialect.ReasonTooLarge,
			Message: fmt.Sprintf("the record has %d bytes, at most %d are read; split it at message boundaries, as ingest send does, or raise ERRATA_MAX_RECORD",
				len(in.Value), limits.Bytes),
		}
	}
	in.Value = bytes.TrimPrefix(in.Value, []byte("\uFEFF"))
	d, shape, err := detect(in)
	if err != nil {
		// Lines are each as deep as they are by themselves: unclosed brackets of damaged ones do not add up.
		if deep := record.CheckDepth(in.Value); deep != nil && shape.Container != dialect.Lines && !shape.Binary {
			err = deep
		}
		return dialect.Output{}, nil, err
	}
	in.Valid = shape.Valid
	if shape.Binary {
		limits.Depth = 0 // brackets say nothing of it
	}
	deep, err := limits.shallow(&in, shape.Container)
	if err != nil {
		return dialect.Output{}, d, err
	}
	j := job{dialect: d, in: in, most: limits.Rejects}
	out, err := j.decode(shape)
	if err != nil {
		return dialect.Output{}, d, err
	}
	out.Rejects = append(out.Rejects, deep...)
	out = finish(out, in, d)
	out.Rejects = boundRejects(out.Rejects, limits.Rejects)
	return out, d, nil
}

// shallow holds a bound of nesting that is lower than the one that always holds: lines by themselves, anything else as a whole.
func (l Limits) shallow(in *dialect.Input, container dialect.Container) (rejects []dialect.Reject, err error) {
	if l.Depth <= 0 || l.Depth >= record.MaxDepth {
		return nil, nil
	}
	if container == dialect.Lines && !record.SpansLines(in.Value) {
		in.Value, rejects = record.Shallow(in.Value, l.Depth)
		return rejects, nil
	}
	return nil, record.CheckDepthOf(in.Value, l.Depth)
}

// job is one input with the dialect that it is decoded as.
type job struct {
	dialect *dialect.Dialect
	in      dialect.Input
	most    int // rejects
}

// decode hands the dialect what it takes at a time.
func (j job) decode(shape dialect.Shape) (dialect.Output, error) {
	container := shape.Container
	whole := container == dialect.One || j.dialect.Unit == dialect.UnitWhole
	if !whole {
		return j.each(container), nil
	}
	// The lines of an input have each their own depth, which the dialect that takes them apart looks at.
	if container != dialect.Lines && !shape.Binary {
		if err := record.CheckDepth(j.in.Value); err != nil {
			return dialect.Output{}, err
		}
	}
	out, err := j.dialect.Decode(j.in)
	if err != nil {
		return dialect.Output{}, record.Refuse(err)
	}
	return out, nil
}

// each decodes records one by one. Where nothing but rejects come, it gives up on the rest of the input.
func (j job) each(container dialect.Container) dialect.Output {
	var out dialect.Output
	for unit, err := range record.Each(j.in.Value, container) {
		if j.most > 0 && len(out.Rejects) >= j.most-1 && len(out.Fragments) == 0 {
			out.Rejects = append(out.Rejects, unit.Place(dialect.Reject{
				Reason:  dialect.ReasonUnsupported,
				Message: fmt.Sprintf("none of the first %d records could be used, hence the rest was not looked at", len(out.Rejects)),
			}))
			break
		}
		if err != nil {
			out.Rejects = append(out.Rejects, record.Refuse(err))
			continue
		}
		decoded, err := j.unit(unit.Value)
		if err != nil {
			out.Rejects = append(out.Rejects, unit.Place(record.Refuse(err)))
			continue
		}
		out.Fragments = append(out.Fragments, decoded.Fragments...)
		for _, reject := range decoded.Rejects {
			out.Rejects = append(out.Rejects, unit.Place(reject))
		}
	}
	return out
}

// unit decodes one of several objects. One that no dialect claims is left to the input's own, which can say best what is
// wrong with it.
func (j job) unit(value []byte) (dialect.Output, error) {
	in := j.in
	in.Value, in.Valid = value, false
	own, err := Detect(in)
	if err != nil || own == j.dialect {
		return j.dialect.Decode(in)
	}
	if own.Unit == dialect.UnitWhole {
		return dialect.Output{}, dialect.Reject{
			Reason:  dialect.ReasonUnsupported,
			Message: fmt.Sprintf("a record of format %s stands among records of format %s; send it by itself", own.Name, j.dialect.Name),
		}
	}
	out, err := own.Decode(in)
	for i := range out.Fragments {
		out.Fragments[i].Meta.Format = own.Name
	}
	return out, err
}

// finish does for every dialect what its own decoder need not care for.
func finish(out dialect.Output, in dialect.Input, d *dialect.Dialect) dialect.Output {
	kept := out.Fragments[:0]
	for _, fragment := range out.Fragments {
		applyHeaders(&fragment, in.Headers)
		if fragment.Meta.Format == "" {
			fragment.Meta.Format = d.Name
		}
		if fragment.Meta.ID == "" {
			out.Rejects = append(out.Rejects, dialect.Reject{
				Reason:  dialect.ReasonMissingField,
				Message: "the record does not say which run it is of; give it the header " + dialect.HeaderRun,
			})
			continue
		}
		kept = append(kept, fragment)
	}
	out.Fragments = kept
	return out
}

// applyHeaders adds to a fragment what the headers of a part say of it.
func applyHeaders(fragment *transcript.Fragment, headers map[string]string) {
	if run := headers[dialect.HeaderRun]; run != "" {
		fragment.Meta.ID = transcript.RunID(run)
	}
	first, err := strconv.Atoi(headers[dialect.HeaderFirst])
	if err == nil && first >= 0 && fragment.First != transcript.Unplaced {
		fragment.First += first
		fragment.Snapshot = false
	}
	switch headers[dialect.HeaderEnded] {
	case "true":
		fragment.Ended, fragment.Meta.Ended = true, true
	case "false":
		fragment.Ended, fragment.Meta.Ended, fragment.Meta.EndReason = false, false, ""
	}
}

// boundRejects keeps a file of rubbish from making a record for each of its lines.
func boundRejects(rejects []dialect.Reject, most int) []dialect.Reject {
	if most <= 0 || len(rejects) <= most {
		return rejects
	}
	rest := rejects[most-1]
	rest.Message = fmt.Sprintf("%d more parts of the input could not be used either, the first of them here: %s", len(rejects)-most+1, rest.Message)
	return append(rejects[:most-1:most-1], rest)
}
