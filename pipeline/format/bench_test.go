package format_test

import (
	"bytes"
	"fmt"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// BenchmarkDecode measures each dialect on its own fixtures, and a long run record.
func BenchmarkDecode(b *testing.B) {
	inputs := map[string]dialect.Input{"long": {Value: longRecord(2000)}}
	for _, fixture := range ownFixtures(b) {
		if d, err := format.Detect(fixture.input); err == nil {
			inputs[d.Name+"/"+fixture.name] = fixture.input
		}
	}
	for name, input := range inputs {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(input.Value)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := format.Decode(input, format.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// longRecord makes a run of so many turns, each with a call and its result.
func longRecord(turns int) []byte {
	var out bytes.Buffer
	out.WriteString(`{"schema":"errata.run/v1","run_id":"long","messages":[{"role":"user","content":"go"}`)
	for i := range turns {
		fmt.Fprintf(&out, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"search","arguments":"{\"query\":\"number %d\",\"limit\":10}"}}],"usage":{"prompt_tokens":1000,"completion_tokens":20}}`, i, i)
		fmt.Fprintf(&out, `,{"role":"tool","tool_call_id":"c%d","content":"{\"rows\":[{\"id\":%d,\"name\":\"a name that is somewhat long\"},{\"id\":2}]}"}`, i, i)
	}
	out.WriteString(`]}`)
	return out.Bytes()
}
