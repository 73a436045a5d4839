// Package tempo reads traces as Grafana Tempo gives them out: the requests of OTLP under an older name, batches in the
// place of resourceSpans. Their spans are read by package otlp.
package tempo

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "tempo",
	Title:  "Grafana Tempo trace",
	Source: "grafana/tempo, GET /api/traces/{id} (Trace message: batches, instrumentationLibrarySpans until OTLP 0.15)",
	Unit:   dialect.UnitObject,
	Detect: detect,
	Decode: piece.Decode(decode),
	Split:  piece.Split(decode),
}

func detect(shape dialect.Shape) bool {
	batches := shape.First().Get("batches")
	if batches.Kind() != '[' || shape.First().Has("resourceSpans") {
		return false
	}
	head, _ := record.ShapeOf(batches)
	first := head.First()
	return first.Has("scopeSpans") || first.Has("instrumentationLibrarySpans")
}

type trace struct {
	Batches record.PartList[batch] `json:"batches"`
}

// batch takes the members of either name, and gives them under the current one.
type batch struct {
	Resource  jsontext.Value `json:"resource,omitempty"`
	Scopes    []scope        `json:"scopeSpans,omitempty"`
	Libraries []scope        `json:"instrumentationLibrarySpans,omitempty"`
}

type scope struct {
	Scope   jsontext.Value `json:"scope,omitempty"`
	Library jsontext.Value `json:"instrumentationLibrary,omitempty"`
	Spans   jsontext.Value `json:"spans,omitempty"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire trace
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	for i := range wire.Batches {
		b := &wire.Batches[i]
		b.Scopes, b.Libraries = append(b.Scopes, b.Libraries...), nil
		for j := range b.Scopes {
			s := &b.Scopes[j]
			if s.Scope == nil {
				s.Scope = s.Library
			}
			s.Library = nil
		}
	}
	request, err := json.Marshal(map[string]any{"resourceSpans": []batch(wire.Batches)}, record.Options())
	if err != nil {
		return dialect.Output{}, record.Refuse(err)
	}
	in.Value = request
	return otlp.Dialect.Decode(in)
}
