// Package cassette reads recorded HTTP exchanges: the YAML files that VCR.py writes (its serialization version 1), in
// which tests of programs keep what they sent to a model and what came back. Exchanges with models are read as those of
// a gateway's log, in their order; all others are passed over.
package cassette

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/exchange"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "http-cassette",
	Title:     "Recorded HTTP exchanges",
	Source:    "VCR.py cassettes, serialization version 1",
	Unit:      dialect.UnitWhole,
	Detect:    func(shape dialect.Shape) bool { return begins(shape.Begin) },
	Decode:    piece.Decode(decode),
	Split:     split,
	WholeRuns: true,
}

// begins tells the first words of a cassette.
func begins(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("---")))
	rest, found := bytes.CutPrefix(text, []byte("interactions:"))
	return found && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("- request:"))
}

// split leaves histories whole: they overlap, and what they have in common tells how they fit.
func split(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
	const whole = 4 << 20
	return piece.SplitWhole(decode)(in, max(most, whole))
}

type file struct {
	Interactions []interaction `yaml:"interactions"`
}

type interaction struct {
	Request struct {
		Body   yaml.Node `yaml:"body"`
		Parsed yaml.Node `yaml:"parsed_body"`
		URI    yaml.Node `yaml:"uri"`
	} `yaml:"request"`
	Response struct {
		Body   yaml.Node `yaml:"body"`
		Parsed yaml.Node `yaml:"parsed_body"`
		Status yaml.Node `yaml:"status"`
	} `yaml:"response"`
}

// maxBody bounds what a compressed body may become.
const maxBody = 64 << 20

func decode(in dialect.Input) (dialect.Output, error) {
	if !begins(in.Value) {
		return dialect.Output{}, dialect.Reject{
			Reason:  dialect.ReasonWrongType,
			Message: "this is no cassette; it begins with interactions, the first of them with a request",
		}
	}
	var wire file
	if err := yaml.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, dialect.Reject{
			Reason:  "malformed_yaml",
			Message: "this is not YAML: " + err.Error() + "; send the cassette whole and unchanged",
		}
	}
	book := exchange.NewBook()
	var out dialect.Output
	for i := range wire.Interactions {
		if err := add(book, &wire.Interactions[i], in.Headers[dialect.HeaderRun]); err != nil {
			reject := record.Refuse(err)
			reject.Pointer, reject.Offset, reject.Part = "/interactions/"+strconv.Itoa(i)+reject.Pointer, 0, i
			out.Rejects = append(out.Rejects, reject)
		}
	}
	out.Fragments = book.Fragments()
	if len(out.Fragments)+len(out.Rejects) == 0 {
		out.Rejects = append(out.Rejects, dialect.Reject{
			Reason:  dialect.ReasonUnsupported,
			Message: "none of the exchanges is one with a model whose interface is known",
		})
	}
	for i := range out.Fragments {
		f := &out.Fragments[i]
		f.Meta.Ended, f.Ended = true, true
	}
	return out, nil
}

// add reads one exchange, if it is one with a model.
func add(book *exchange.Book, i *interaction, run string) error {
	request := bodyOf(&i.Request.Body, &i.Request.Parsed)
	if len(request) == 0 || request[0] != '{' || record.CheckDepth(request) != nil {
		return nil
	}
	shape, _ := record.ShapeOf(request)
	if !exchange.IsRequest(shape.First()) {
		return nil
	}
	if i.Response.Status.IsZero() {
		// The status is written last. What is left of a text that was cut may look like a whole one.
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/response/status",
			Message: "the response has no status, so that its body may be cut; send the cassette whole",
		}
	}
	response := bodyOf(&i.Response.Body, &i.Response.Parsed)
	if err := record.CheckDepth(response); err != nil {
		return record.Refuse(err).Within(0, "/response")
	}
	e := exchange.Exchange{Request: request, Response: response, Run: transcript.RunID(run)}
	e.Meta.Model = modelOf(i.Request.URI.Value)
	return book.Add(e)
}

// modelOf gives the model that an address of Bedrock names.
func modelOf(address string) string {
	_, rest, found := strings.Cut(address, ".amazonaws.com/model/")
	name, _, more := strings.Cut(rest, "/")
	plain, err := url.PathUnescape(name)
	if !found || !more || err != nil {
		return ""
	}
	return plain
}

// bodyOf gives a body: one that was parsed already as JSON, a text, or the text of {string: …}, unpacked.
func bodyOf(body, parsed *yaml.Node) []byte {
	if parsed.Kind == yaml.MappingNode || parsed.Kind == yaml.SequenceNode {
		var value any
		if parsed.Decode(&value) != nil {
			return nil
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		return encoded
	}
	node := body
	if body.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(body.Content); i += 2 {
			if name := body.Content[i].Value; name == "string" || name == "base64_string" {
				node = body.Content[i+1]
			}
		}
	}
	var text string
	if node.Kind != yaml.ScalarNode || node.Decode(&text) != nil {
		return nil
	}
	return unpack([]byte(text))
}

// unpack undoes the compression that a body was sent with.
func unpack(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	plain, err := io.ReadAll(io.LimitReader(reader, maxBody))
	if err != nil {
		return body
	}
	return plain
}
