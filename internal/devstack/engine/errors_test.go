package engine

import (
	"errors"
	"testing"
)

func TestParseError(t *testing.T) {
	cases := []struct {
		name, in string
		code     int
		text     string
	}{
		{"plain", "Code: 60. DB::Exception: Unknown table t. (UNKNOWN_TABLE)", 60, "Code: 60. DB::Exception: Unknown table t. (UNKNOWN_TABLE)"},
		{"wrapped", "Code: 241. DB::Exception: Code: 241. DB::Exception: Memory. (MEMORY_LIMIT_EXCEEDED)", 241, "Code: 241. DB::Exception: Memory. (MEMORY_LIMIT_EXCEEDED)"},
		{"version said", "Code: 27. DB::Exception: Cannot parse. (X) (version 26.7.2.1)", 27, "Code: 27. DB::Exception: Cannot parse. (X)"},
		{"version and name said twice", "Code: 115. DB::Exception: Unknown setting. (UNKNOWN_SETTING) (version 26.7.2.1). (UNKNOWN_SETTING)", 115, "Code: 115. DB::Exception: Unknown setting. (UNKNOWN_SETTING)"},
		{"other class", "Code: 210. DB::NetException: Refused. (NETWORK_ERROR)", 210, "Code: 210. DB::NetException: Refused. (NETWORK_ERROR)"},
		{"no code", "something odd", 1001, "Code: 1001. DB::Exception: something odd"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got *Error
			if !errors.As(parseError(c.in), &got) || got.Code != c.code || got.Text != c.text {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestSetStatementQuotes(t *testing.T) {
	got := setStatement([]Setting{{"a", "1"}, {"b`; DROP", `it's \`}})
	want := "SET `a` = '1', `b\\`; DROP` = 'it\\'s \\\\'"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
