package otlp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/otlp/wiretest"
)

// TestProtobuf: a request says the same in both encodings, to the letter.
func TestProtobuf(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		text := input(t, name)
		if !json.Valid(text) || bytes.Contains(text, []byte("instrumentationLibrarySpans")) {
			continue // lines of requests, and a name that the protocol has no more
		}
		read++
		fromJSON, _, err := format.Decode(dialect.Input{Value: text}, format.DefaultLimits())
		if err != nil {
			continue
		}
		fromWire, d, err := format.Decode(dialect.Input{Value: wiretest.Protobuf(t, text)}, format.DefaultLimits())
		if err != nil || d.Name != "otlp" {
			t.Errorf("%s: in protobuf: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(fromJSON.Fragments, fromWire.Fragments) {
			t.Errorf("%s: in protobuf it says\n%+v\nwant\n%+v", name, fromWire.Fragments, fromJSON.Fragments)
		}
		if len(fromJSON.Rejects) != len(fromWire.Rejects) {
			t.Errorf("%s: %d rejects in protobuf, %d in JSON", name, len(fromWire.Rejects), len(fromJSON.Rejects))
		}
	}
	if read < 5 {
		t.Errorf("only %d cases were read", read)
	}
}

// TestLogsApart: what logs say of a generation and what its span says are joined, whichever comes first.
func TestLogsApart(t *testing.T) {
	spans := []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"desk"}}]},"scopeSpans":[{"spans":[
		{"traceId":"5b8efff798038103d269b633813fc60d","spanId":"eee19b7ec3c1b101","name":"chat","startTimeUnixNano":"1767323045000000000","endTimeUnixNano":"1767323046000000000",
		 "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"50"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"5"}}]},
		{"traceId":"5b8efff798038103d269b633813fc60d","spanId":"eee19b7ec3c1b102","name":"chat","startTimeUnixNano":"1767323047500000000","endTimeUnixNano":"1767323048000000000",
		 "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"90"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"7"}}]}]}]}]}`)
	logs := input(t, "logs")
	want := []string{
		"trace-5b8efff798038103d269b633813fc60d: 2 turns, 1 user messages, tokens 140+0+0+12",
		"1.0 weather error replied",
	}
	f := func(name string, outs ...dialect.Output) {
		t.Helper()
		if got := facts(t, outs); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	a, b := decoded(t, logs, "")[0], decoded(t, spans, "")[0]
	f("logs first", a, b)
	f("spans first", b, a)
	f("both again", b, a, b, a)
	f("one input", decoded(t, slices.Concat(bytes.ReplaceAll(logs, []byte("\n"), nil), []byte("\n"), bytes.ReplaceAll(spans, []byte("\n"), nil)), "")...)
}

// TestBadProtobuf: what is damaged is refused with its place, and what is whole beside it goes through.
func TestBadProtobuf(t *testing.T) {
	whole := wiretest.Protobuf(t, input(t, "current"))
	for i := range whole {
		out, _, err := format.Decode(dialect.Input{Value: whole[:i]}, format.DefaultLimits())
		if err == nil || len(out.Fragments) > 0 {
			t.Fatalf("cut at %d it gives %d fragments, %v", i, len(out.Fragments), err)
		}
	}
	f := func(name string, value []byte, reason dialect.Reason, fragments int) {
		t.Helper()
		out, _, err := format.Decode(dialect.Input{Value: value}, format.DefaultLimits())
		var reject dialect.Reject
		if !errors.As(err, &reject) && len(out.Rejects) > 0 {
			reject = out.Rejects[0]
		}
		if reject.Reason != reason || len(out.Fragments) != fragments {
			t.Errorf("%s: %v, %d fragments; want %s, %d", name, reject, len(out.Fragments), reason, fragments)
		}
		if reason != "" && fragments > 0 && (reject.Offset == 0 || reject.Pointer == "") {
			t.Errorf("%s: the place is missing: %+v", name, reject)
		}
	}
	bad := func(span []byte) []byte {
		scope := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), span)
		resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
		return protowire.AppendBytes(protowire.AppendTag(slices.Clone(whole), 1, protowire.BytesType), resource)
	}
	f("whole", whole, "", 1)
	f("a span without ids", bad(wiretest.Marshal(t, &tracepb.Span{Name: "x"})), dialect.ReasonMissingField, 1)
	f("a span that is no message", bad([]byte{0xff, 0xff, 0xff}), "malformed_protobuf", 1)
	f("a length beyond the end of a span", bad([]byte{0x2a, 0xff, 0xff, 0xff, 0xff, 0x0f}), "malformed_protobuf", 1)
	f("a deep value", bad(wiretest.Marshal(t, &tracepb.Span{TraceId: make([]byte, 16), SpanId: []byte("12345678"), Attributes: []*commonpb.KeyValue{{Key: "k", Value: deep(300)}}})), dialect.ReasonTooDeep, 1)
	f("many empty attributes", bad(bytes.Repeat([]byte{0x4a, 0x00}, 200_000)), dialect.ReasonTooLarge, 1)
	f("many empty spans", slices.Concat(whole, nested(bytes.Repeat([]byte{0x12, 0x00}, 200_000))), dialect.ReasonTooLarge, 0)
	f("a length beyond the end", append(slices.Clone(whole), 0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f), "malformed_protobuf", 0)
	f("bytes behind the end", append(slices.Clone(whole), 0x00), "malformed_protobuf", 0)
	f("metrics", wiretest.Marshal(t, &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		ScopeMetrics: []*metricspb.ScopeMetrics{{Metrics: []*metricspb.Metric{{Name: "gen_ai.client.token.usage", Data: &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{}}}}}}}}}), dialect.ReasonUnsupported, 0)
}

func nested(scope []byte) []byte {
	resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), resource)
}

func deep(levels int) *commonpb.AnyValue {
	v := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "x"}}
	for range levels {
		v = &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{v}}}}
	}
	return v
}

// TestForeignText: a text that was cut inside a character costs that character only. So it is with brackets in texts,
// which are no nesting, and with a length that looks like the begin of JSON.
func TestForeignText(t *testing.T) {
	whole := wiretest.Protobuf(t, input(t, "current"))
	at := bytes.Index(whole, []byte("conv-1"))
	cut := slices.Clone(whole)
	cut[at+5] = 0xc3
	out, _, err := format.Decode(dialect.Input{Value: cut}, format.DefaultLimits())
	if err != nil || len(out.Fragments) == 0 || !slices.ContainsFunc([]string{"conv-?", "conv-1"}, func(id string) bool { return id == string(out.Fragments[0].Meta.ID) }) {
		t.Errorf("a text that is no UTF-8: %v, %d fragments", err, len(out.Fragments))
	}
	for size := range 300 {
		request := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{
			TraceId: []byte("0123456789abcdef"), SpanId: []byte("01234567"), Name: strings.Repeat("{", size),
			Attributes: []*commonpb.KeyValue{{Key: "gen_ai.operation.name", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "chat"}}},
				{Key: "gen_ai.completion", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "\n{\"jsonrpc\":\"2.0\"}\n"}}}},
		}}}}}}}
		if _, d, err := format.Decode(dialect.Input{Value: wiretest.Marshal(t, request)}, format.DefaultLimits()); err != nil || d.Name != "otlp" {
			t.Fatalf("a name of %d brackets: %v", size, err)
		}
	}
	many := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{
		TraceId: []byte("0123456789abcdef"), SpanId: []byte("01234567"), Name: strings.Repeat("[", 5000)}}}}}}}
	limits := format.DefaultLimits()
	limits.Depth = 20
	if _, _, err := format.Decode(dialect.Input{Value: wiretest.Marshal(t, many)}, limits); err != nil {
		t.Errorf("brackets in a text: %v", err)
	}
}

// TestProtobufFixture keeps the case in protobuf the same as the one in JSON.
func TestProtobufFixture(t *testing.T) {
	text, err := os.ReadFile("testdata/protobuf.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString(wiretest.Protobuf(t, input(t, "current"))))) {
		t.Error("it is another request than the one of current.txtar")
	}
}
