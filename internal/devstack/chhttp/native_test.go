package chhttp

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestTranscodeAddsTheBlockHeadAndTheColumnMarks(t *testing.T) {
	const head = "\x01\x00\x02\xff\xff\xff\xff\x00"
	cases := []struct{ name, in, want string }{
		{"one column", "\x01\x02\x01n\x05UInt8\x07\x08", head + "\x01\x02\x01n\x05UInt8\x00\x07\x08"},
		{"two blocks", "\x01\x01\x01n\x05UInt8\x07" + "\x01\x01\x01n\x05UInt8\x08", head + "\x01\x01\x01n\x05UInt8\x00\x07" + head + "\x01\x01\x01n\x05UInt8\x00\x08"},
		{"two columns", "\x02\x01\x01a\x06String\x02hi\x01b\x0fNullable(UInt8)\x01\x00", head + "\x02\x01\x01a\x06String\x00\x02hi\x01b\x0fNullable(UInt8)\x00\x01\x00"},
		{"null", "\x01\x01\x04NULL\x11Nullable(Nothing)\x010", head + "\x01\x01\x04NULL\x11Nullable(Nothing)\x00\x010"},
		{"interval", "\x01\x01\x01d\x0bIntervalDay\x01\x00\x00\x00\x00\x00\x00\x00", head + "\x01\x01\x01d\x0bIntervalDay\x00\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"no rows", "\x01\x00\x01k\x16LowCardinality(String)", head + "\x01\x00\x01k\x16LowCardinality(String)\x00"},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := transcode([]byte(c.in), 54460)
			if err != nil || string(got) != c.want {
				t.Errorf("got %q %v, want %q", got, err, c.want)
			}
			if same, err := transcode([]byte(c.in), 0); err != nil || !bytes.Equal(same, []byte(c.in)) {
				t.Errorf("revision 0 gives %q %v, want what came in", same, err)
			}
			if len(c.in) < 2 {
				return
			}
			if _, err := transcode([]byte(c.in[:len(c.in)-1]), 54460); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("cut short gives %v, want an unexpected end", err)
			}
		})
	}
}
