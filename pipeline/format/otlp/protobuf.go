package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// readProtobuf reads a request in protobuf. A span that cannot be read is rejected by itself; where the request is not
// whole, nothing of it is used, as what is missing may name the conversation.
func readProtobuf(value []byte) (said, error) {
	w := wireReader{signal: signalOf(value)}
	if w.signal == metricSignal {
		return said{}, dialect.Reject{
			Reason:  dialect.ReasonUnsupported,
			Message: "these are metrics, which tell of no calls; send traces and logs to this topic, metrics to another",
		}
	}
	if w.signal == unknownSignal {
		return said{}, dialect.Reject{
			Reason:  reasonMalformed,
			Message: "this is no request of the OpenTelemetry protocol with spans or log records; send it as the Collector's kafka exporter writes it",
		}
	}
	i := 0
	for f, err := range wireFields(value, 0) {
		if err != nil {
			return said{}, err
		}
		if f.number != fieldResources {
			continue
		}
		if err := w.resource(f, i); err != nil {
			return said{}, err
		}
		i++
	}
	return w.said, nil
}

// wireReader reads one request.
type wireReader struct {
	signal signal
	said   said
}

// pointer names a span or log record as the protocol's JSON does.
func (w *wireReader) pointer(resource, scope, nth int) string {
	if w.signal == logSignal {
		return fmt.Sprintf("/resourceLogs/%d/scopeLogs/%d/logRecords/%d", resource, scope, nth)
	}
	return fmt.Sprintf("/resourceSpans/%d/scopeSpans/%d/spans/%d", resource, scope, nth)
}

// resource reads what came from one resource.
func (w *wireReader) resource(outer wireField, i int) error {
	var scopes []wireField
	service := ""
	for f, err := range wireFields(outer.value, outer.at) {
		switch {
		case err != nil:
			return err
		case f.kind != protowire.BytesType:
		case f.number == fieldResource:
			var r resourcepb.Resource
			if err := unmarshal(f, &r); err != nil {
				return err
			}
			service = attributesOf(r.GetAttributes()).text("service.name")
		case f.number == fieldScopes, f.number == fieldOlder && w.signal == traceSignal:
			scopes = append(scopes, f)
		}
	}
	for j, scope := range scopes {
		k := 0
		for f, err := range wireFields(scope.value, scope.at) {
			if err != nil {
				return err
			}
			if f.number != fieldRecords || f.kind != protowire.BytesType {
				continue
			}
			if w.said.count() >= record.MaxMessages {
				return tooManySpans()
			}
			w.one(f, service, w.pointer(i, j, k))
			k++
		}
	}
	return nil
}

// one reads a span or a log record.
func (w *wireReader) one(f wireField, service, pointer string) {
	var err error
	if w.signal == traceSignal {
		var wire tracepb.Span
		if err = unmarshal(f, &wire); err == nil {
			s := spanOf(&wire)
			s.service, s.pointer = service, pointer
			if err = s.check(); err == nil {
				w.said.spans = append(w.said.spans, s)
			}
		}
	} else {
		var wire logspb.LogRecord
		if err = unmarshal(f, &wire); err == nil {
			l := logOf(&wire)
			l.service, l.pointer = service, pointer
			err = w.said.log(l)
		}
	}
	if err != nil {
		reject := record.Refuse(err)
		reject.Pointer = pointer + reject.Pointer
		if reject.Offset == 0 {
			reject.Offset = int64(f.at)
		}
		w.said.rejects = append(w.said.rejects, reject)
	}
}

// unmarshal reads a message that stands in the input.
func unmarshal(f wireField, into proto.Message) error {
	var look inspector
	descriptor := into.ProtoReflect().Descriptor()
	if err := look.inspect(f.value, f.at, descriptor, 0); err != nil {
		return err
	}
	message := f.value
	if look.foreign {
		message = bytes.Clone(message)
		again := inspector{mend: true}
		if err := again.inspect(message, f.at, descriptor, 0); err != nil {
			return err
		}
	}
	options := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: maxNested + 2}
	if err := options.Unmarshal(message, into); err != nil {
		return dialect.Reject{
			Reason: reasonMalformed, Offset: int64(f.at),
			Message: "this is no message of the OpenTelemetry protocol; send requests whole and unchanged",
		}
	}
	return nil
}

func spanOf(wire *tracepb.Span) *span {
	s := &span{
		TraceID: identOf(wire.GetTraceId()), SpanID: identOf(wire.GetSpanId()), ParentID: identOf(wire.GetParentSpanId()),
		Name: wire.GetName(), Kind: field.Raw{Text: strconv.Itoa(int(wire.GetKind())), Kind: '0'},
		Start: nanosOf(wire.GetStartTimeUnixNano()), End: nanosOf(wire.GetEndTimeUnixNano()),
		Attributes: attributesOf(wire.GetAttributes()),
		Status: status{
			Code:    field.Raw{Text: strconv.Itoa(int(wire.GetStatus().GetCode())), Kind: '0'},
			Message: wire.GetStatus().GetMessage(),
		},
	}
	for _, e := range wire.GetEvents() {
		s.Events = append(s.Events, event{Name: e.GetName(), Time: nanosOf(e.GetTimeUnixNano()), Attributes: attributesOf(e.GetAttributes())})
	}
	return s
}

func logOf(wire *logspb.LogRecord) *logged {
	return &logged{
		Time: nanosOf(wire.GetTimeUnixNano()), Observed: nanosOf(wire.GetObservedTimeUnixNano()),
		Name: wire.GetEventName(), Body: valueOf(wire.GetBody()), Attributes: attributesOf(wire.GetAttributes()),
		TraceID: identOf(wire.GetTraceId()), SpanID: identOf(wire.GetSpanId()),
	}
}

// identOf gives an id, "" for one that is absent or of zeros only, which means the same.
func identOf(id []byte) ident {
	if len(bytes.Trim(id, "\x00")) == 0 {
		return ""
	}
	return ident(hex.EncodeToString(id))
}

func nanosOf(count uint64) nanos {
	if count == 0 || count > math.MaxInt64 {
		return nanos{}
	}
	return nanos{time.Unix(0, int64(count)).UTC()}
}

func attributesOf(list []*commonpb.KeyValue) attributes {
	if len(list) == 0 {
		return nil
	}
	a := make(attributes, len(list))
	for _, k := range list {
		a[k.GetKey()] = valueOf(k.GetValue()).written()
	}
	return a
}

func valueOf(wire *commonpb.AnyValue) value {
	switch v := wire.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return value{text: v.StringValue, kind: '"'}
	case *commonpb.AnyValue_BoolValue:
		return value{text: strconv.FormatBool(v.BoolValue), kind: 't'}
	case *commonpb.AnyValue_IntValue:
		return number(strconv.FormatInt(v.IntValue, 10))
	case *commonpb.AnyValue_DoubleValue:
		return number(strconv.FormatFloat(v.DoubleValue, 'g', -1, 64))
	case *commonpb.AnyValue_BytesValue:
		return value{text: base64.StdEncoding.EncodeToString(v.BytesValue), kind: '"'}
	case *commonpb.AnyValue_ArrayValue:
		list := value{kind: '['}
		for _, element := range v.ArrayValue.GetValues() {
			list.members = append(list.members, keyed{Value: valueOf(element)})
		}
		return list
	case *commonpb.AnyValue_KvlistValue:
		object := value{kind: '{'}
		for _, k := range v.KvlistValue.GetValues() {
			object.members = append(object.members, keyed{Key: k.GetKey(), Value: valueOf(k.GetValue())})
		}
		return object
	}
	return value{}
}
