package record

import (
	"bytes"
	"iter"
	"strconv"

	"errata/pipeline/format/dialect"
)

// Record is one JSON value of an input, and its place there.
type Record struct {
	Value    []byte // points into the input
	Index    int    // 0, 1, … among the records of the input
	Line     int    // 1, 2, … in lines, else 0
	Offset   int64  // byte in the input, or in its line
	Pointer  string // JSON Pointer in an array, else ""
	Salvaged bool   // it was found whole at the end of a line whose beginning is damaged
}

// Place gives a reject of this record's value its place in the input.
func (r Record) Place(reject dialect.Reject) dialect.Reject {
	reject = reject.Within(r.Offset, r.Pointer)
	if r.Line > 0 {
		reject.Line = r.Line
	}
	reject.Part = r.Index
	return reject
}

// Each gives the JSON values of an input in order, or in their place a Reject for what cannot be read. Damage to a
// line costs that line only; in an array, or in values that span lines, what follows the damage cannot be told apart.
// A value that is nested too deep is refused by itself.
func Each(value []byte, container dialect.Container) iter.Seq2[Record, error] {
	return func(emit func(Record, error) bool) {
		yield := func(record Record, err error) bool {
			if err == nil {
				if deep := CheckDepth(record.Value); deep != nil {
					err = record.Place(Refuse(deep))
				}
			}
			return emit(record, err)
		}
		switch {
		case container == dialect.One:
			yield(Record{Value: value}, nil)
		case container == dialect.Array:
			eachElement(value, yield)
		case SpansLines(value):
			eachValue(value, yield)
		default:
			eachLine(value, yield)
		}
	}
}

func eachElement(value []byte, yield func(Record, error) bool) {
	decoder := newDecoder(value)
	if _, err := decoder.ReadToken(); err != nil {
		yield(Record{}, Refuse(err))
		return
	}
	for index := 0; decoder.PeekKind() != ']'; index++ {
		element, err := decoder.ReadValue()
		if err != nil {
			reject := tooDeepOr(value, err)
			reject.Part = index
			yield(Record{}, reject)
			return
		}
		end := decoder.InputOffset()
		start := end - int64(len(element))
		if !yield(Record{Value: value[start:end], Index: index, Offset: start, Pointer: "/" + strconv.Itoa(index)}, nil) {
			return
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		yield(Record{}, Refuse(err))
		return
	}
	end := decoder.InputOffset()
	if rest := bytes.TrimLeft(value[end:], space); len(rest) > 0 {
		yield(Record{}, dialect.Reject{
			Reason:  dialect.ReasonMalformedJSON,
			Message: "something follows the end of the array; send it as a record of its own",
			Offset:  int64(len(value) - len(rest)),
		})
	}
}

// SpansLines tells whether the first value is written over several lines, as people print JSON.
func SpansLines(value []byte) bool {
	decoder := newDecoder(value)
	first, err := decoder.ReadValue()
	return err == nil && bytes.IndexByte(first, '\n') >= 0
}

// eachValue gives values that follow each other, whatever lines they span.
func eachValue(value []byte, yield func(Record, error) bool) {
	decoder := newDecoder(value)
	line, counted := 1, int64(0)
	for index := 0; len(bytes.TrimLeft(value[decoder.InputOffset():], space)) > 0; index++ {
		single, err := decoder.ReadValue()
		if err != nil {
			reject := tooDeepOr(value, err)
			reject.Part = index
			yield(Record{}, reject)
			return
		}
		end := decoder.InputOffset()
		start := end - int64(len(single))
		line += bytes.Count(value[counted:start], []byte{'\n'})
		column := start - int64(bytes.LastIndexByte(value[:start], '\n')+1)
		counted = start
		if !yield(Record{Value: value[start:end], Index: index, Line: line, Offset: column}, nil) {
			return
		}
	}
}

// eachLine gives the values of each line by itself, so that reading takes time in proportion to the input.
func eachLine(value []byte, yield func(Record, error) bool) {
	index := 0
	for number := 1; len(value) > 0; number++ {
		line, rest, _ := bytes.Cut(value, []byte{'\n'})
		value = rest
		for record, err := range lineValues(line) {
			record.Line, record.Index = number, index
			index++
			if err != nil {
				reject := tooDeepOr(line, err)
				reject.Line, reject.Part = number, record.Index
				err = reject
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// lineValues gives the values of one line, usually one. Where two writers wrote into one another, the damaged part is
// a Reject, and the whole object that ends the line follows it.
func lineValues(line []byte) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		decoder := newDecoder(line)
		for {
			begin := decoder.InputOffset()
			if len(bytes.TrimLeft(line[begin:], space)) == 0 {
				return
			}
			single, err := decoder.ReadValue()
			if err != nil {
				if yield(Record{}, err) {
					salvage(line, int(begin)+1, int(Refuse(err).Offset), yield)
				}
				return
			}
			end := decoder.InputOffset()
			start := end - int64(len(single))
			if !yield(Record{Value: line[start:end], Offset: start}, nil) {
				return
			}
		}
	}
}

// salvage looks for the object that ends a damaged line. It tries few places, so that a hostile line costs little:
// the last opening before the damage was noticed, and the first ones of the line.
func salvage(line []byte, from, damage int, yield func(Record, error) bool) {
	const tries = 16
	line = bytes.TrimRight(line, space)
	opening := []byte(`{"`)
	var candidates []int
	if last := bytes.LastIndex(line[:min(damage+2, len(line))], opening); last >= from {
		candidates = append(candidates, last)
	}
	for at := from; len(candidates) < tries; {
		next := bytes.Index(line[min(at, len(line)):], opening)
		if next < 0 {
			break
		}
		candidates = append(candidates, at+next)
		at += next + 1
	}
	best := -1
	for _, candidate := range candidates {
		if best >= 0 && candidate >= best {
			continue
		}
		decoder := newDecoder(line[candidate:])
		if decoder.SkipValue() == nil && int(decoder.InputOffset()) == len(line)-candidate {
			best = candidate
		}
	}
	if best >= 0 {
		yield(Record{Value: line[best:], Offset: int64(best), Salvaged: true}, nil)
	}
}

// tooDeepOr tells nesting that even the JSON library refuses from damage.
func tooDeepOr(value []byte, err error) dialect.Reject {
	if deep := CheckDepth(value); deep != nil {
		return Refuse(deep)
	}
	return Refuse(err)
}
