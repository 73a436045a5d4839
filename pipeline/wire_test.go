package pipeline_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"errata/pipeline/feed"
	"errata/pipeline/format/otlp/wiretest"
)

// What comes damaged over a wire lands among the rejects with its reason and its place; what is whole, in the same batch
// and in the same record, is stored.
func TestDamagedRequestsDoNotStopTheirNeighbours(t *testing.T) {
	span := func(trace, name, attributes string) string {
		return fmt.Sprintf(`{"traceId":"%032s","spanId":"%016s","name":"x","startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000001000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.completion","value":{"stringValue":"Yes."}}%s]}`, trace, name, attributes)
	}
	request := func(spans ...string) []byte {
		return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`)
	}
	good := func(i int) []byte { return request(span(fmt.Sprint(i+1), "1", "")) }
	whole := wiretest.Protobuf(t, good(900))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(good(901)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	beside := func(bad []byte) []byte { // a request of a good span and a bad one
		scope := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), bad)
		resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
		return protowire.AppendBytes(protowire.AppendTag(wiretest.Protobuf(t, good(902)), 1, protowire.BytesType), resource)
	}
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 200) + `{"stringValue":"x"}` + strings.Repeat(`]}}`, 200)
	bad := []struct {
		name   string
		value  []byte
		reason string
		place  string
		stored int // runs of the record that are
	}{
		{"protobuf that was cut", whole[:len(whole)/2], "malformed_protobuf", "byte 0", 0},
		{"a length beyond everything", append(bytes.Clone(whole), 0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f), "malformed_protobuf", fmt.Sprintf("byte %d", len(whole)), 0},
		{"a bad span beside a good one", beside([]byte{0x2a, 0x7f}), "malformed_protobuf", "at /resourceSpans/1/scopeSpans/0/spans/0, byte", 1},
		{"JSON that was cut", good(903)[:200], "malformed_json", "byte 200", 0},
		{"a span without ids beside a good one", request(span("904", "1", ""), `{"name":"x"}`), "missing_field", "at /resourceSpans/0/scopeSpans/0/spans/1/spanId", 1},
		{"a value that is too deep", request(span("905", "1", `,{"key":"k","value":`+deep+`}`)), "too_deep", "byte", 0},
		{"packed with gzip", packed.Bytes(), "invalid_utf8", "byte 0", 0},
		{"a stream that was cut", []byte(`{"request":{"model":"m","messages":[{"role":"user","content":"Go."}]},"response":[{"choices":[{"index":0,`), "malformed_json", "", 0},
		{"a result that is no result", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`), "wrong_type", "at /params/name", 0},
	}
	w := newWorld(t)
	var all []feed.Record
	add := func(value []byte) {
		all = append(all, feed.Record{Offset: int64(len(all)), Value: value, Time: time.Unix(1_790_000_000, 0).UTC()})
	}
	want := 1
	for i, b := range bad {
		add(wiretest.Protobuf(t, good(i)))
		add(b.value)
		want += 1 + b.stored
	}
	add(good(len(bad)))
	w.handle(w.pipeline(), all)

	if rows := w.rows("SELECT run_id FROM runs FINAL"); len(rows) != want {
		t.Errorf("%d runs are stored, want %d: %v", len(rows), want, rows)
	}
	told := map[string]string{}
	for _, row := range w.rows("SELECT concat(toString(offset), ' ', reason, ' ', message) FROM rejects FINAL") {
		offset, rest, _ := strings.Cut(row, " ")
		told[offset] = rest
	}
	for i, b := range bad {
		if got := told[fmt.Sprint(2*i+1)]; !strings.HasPrefix(got, b.reason+" ") || !strings.Contains(got, b.place) {
			t.Errorf("%s: rejected with %q, want %s, %s", b.name, got, b.reason, b.place)
		}
	}
	if len(told) != len(bad) {
		t.Errorf("%d records are rejected, want %d: %v", len(told), len(bad), told)
	}
}
