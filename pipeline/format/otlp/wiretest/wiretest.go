// Package wiretest turns requests of the OpenTelemetry protocol in JSON, which tests can show, into protobuf.
package wiretest

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Protobuf gives a request in protobuf, as the protocol's own library reads its JSON. TracesData and LogsData have the
// bytes of the export requests.
func Protobuf(t testing.TB, text []byte) []byte {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	var request proto.Message = &tracepb.TracesData{}
	if tree["resourceLogs"] != nil {
		request = &logspb.LogsData{}
	}
	plain, err := json.Marshal(plainIDs(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(plain, request); err != nil {
		t.Fatal(err)
	}
	return Marshal(t, request)
}

// Marshal writes a message.
func Marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plainIDs turns the ids, which the protocol's JSON writes in hexadecimal, into bytes, which are base64 in plain JSON.
func plainIDs(t testing.TB, tree any) any {
	switch v := tree.(type) {
	case []any:
		for i := range v {
			v[i] = plainIDs(t, v[i])
		}
	case map[string]any:
		for name, inner := range v {
			if id, isText := inner.(string); isText && slices.Contains([]string{"traceId", "spanId", "parentSpanId"}, name) {
				plain, err := hex.DecodeString(id)
				if err != nil {
					t.Fatal(err)
				}
				v[name] = plain
				continue
			}
			v[name] = plainIDs(t, inner)
		}
	}
	return tree
}
