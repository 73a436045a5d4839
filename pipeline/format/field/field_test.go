package field_test

import (
	"testing"
	"time"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

func TestUsage(t *testing.T) {
	f := func(name, text string, want *transcript.Usage) {
		t.Helper()
		var usage field.Usage
		if err := record.Unmarshal([]byte(text), &usage); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := usage.Tokens()
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	tokens := func(input, read, write, output int64) *transcript.Usage {
		return &transcript.Usage{Input: input, CacheRead: read, CacheWrite: write, Output: output}
	}
	// The two records of hard case F: the same generation by Anthropic's count and by one that includes the cache.
	f("anthropic", `{"input_tokens":5,"cache_read_input_tokens":128955,"cache_creation_input_tokens":1253,"output_tokens":9}`, tokens(5, 128955, 1253, 9))
	f("openai", `{"prompt_tokens":130213,"prompt_tokens_details":{"cached_tokens":128955},"completion_tokens":9,"total_tokens":130222}`, tokens(1258, 128955, 0, 9))
	f("responses", `{"input_tokens":130213,"input_tokens_details":{"cached_tokens":128955},"output_tokens":63820,"output_tokens_details":{"reasoning_tokens":24882}}`, tokens(1258, 128955, 0, 63820))
	f("gemini", `{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":7,"thoughtsTokenCount":20,"totalTokenCount":127}`, tokens(40, 60, 0, 27))
	f("gemini tool use", `{"promptTokenCount":100,"toolUsePromptTokenCount":5,"candidatesTokenCount":7}`, tokens(105, 0, 0, 7))
	f("gateway", `{"prompt_tokens":100,"completion_tokens":1,"cache_read_input_tokens":30,"cache_creation_input_tokens":20}`, tokens(50, 30, 20, 1))
	f("cache writes by age", `{"input_tokens":1,"output_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":4}}`, tokens(1, 0, 7, 2))
	f("cache larger than prompt", `{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}`, tokens(0, 9, 0, 1))
	f("nulls", `{"prompt_tokens":3,"completion_tokens":null,"prompt_tokens_details":null}`, tokens(3, 0, 0, 0))
	f("unknown as -1", `{"prompt_tokens":-1,"completion_tokens":4}`, tokens(0, 0, 0, 4))
	f("nothing", `{}`, nil)
	f("zeros", `{"prompt_tokens":0,"completion_tokens":0}`, nil)
}

func TestUsageRefuses(t *testing.T) {
	f := func(text string) {
		t.Helper()
		var usage field.Usage
		if err := record.Unmarshal([]byte(text), &usage); err == nil {
			t.Errorf("%s is taken: %+v", text, usage)
		}
	}
	f(`{"prompt_tokens":"many"}`)
	f(`{"prompt_tokens":1e300}`)
	f(`{"prompt_tokens":[]}`)
	f(`[]`)
}

func TestTime(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var got field.Time
		err := record.Unmarshal([]byte(text), &got)
		if want == "refused" {
			if err == nil {
				t.Errorf("%s is taken as %v", text, got)
			}
			return
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		shown := ""
		if !got.IsZero() {
			shown = got.Format(time.RFC3339Nano)
		}
		if shown != want {
			t.Errorf("%s is %s, want %s", text, shown, want)
		}
	}
	f(`"2026-01-02T03:04:05Z"`, "2026-01-02T03:04:05Z")
	f(`"2026-01-02T03:04:05.123456+02:00"`, "2026-01-02T01:04:05.123456Z")
	f(`"2026-01-02T03:04:05.5"`, "2026-01-02T03:04:05.5Z")
	f(`"2026-01-02 03:04:05"`, "2026-01-02T03:04:05Z")
	f(`1767323045`, "2026-01-02T03:04:05Z")
	f(`1767323045.5`, "2026-01-02T03:04:05.5Z")
	f(`1767323045123`, "2026-01-02T03:04:05.123Z")
	f(`null`, "")
	f(`""`, "")
	f(`"yesterday"`, "refused")
	f(`"9999-01-01T00:00:00Z"`, "refused")
	f(`"0001-01-01T00:00:00Z"`, "refused")
	f(`-5`, "refused")
	f(`1e300`, "refused")
	f(`true`, "refused")
	f(`{}`, "refused")
}

func TestFlag(t *testing.T) {
	f := func(text string, want transcript.Flag) {
		t.Helper()
		var mark field.Truth
		if err := record.Unmarshal([]byte(text), &mark); err != nil {
			t.Fatal(err)
		}
		if got := field.Flag(mark); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	f("true", transcript.FlagError)
	f("false", transcript.FlagOK)
	f("null", transcript.FlagUnset)
	f(`""`, transcript.FlagOK)
	f(`"timeout"`, transcript.FlagError)
	f(`{"code":"x"}`, transcript.FlagError)
}

func TestInjected(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if got := field.Injected(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	f("<system-reminder>a</system-reminder>", true)
	f("<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\n", true)
	f("<system-reminder>a</system-reminder> hello <system-reminder>b</system-reminder>", false)
	f("<system-reminder>a", false)
	f("hello", false)
	f("", false)
}

// TestUsageOfChunks joins the counts of a stream: a chunk that does not tell the cache yet has it in its prompt.
func TestUsageOfChunks(t *testing.T) {
	f := func(want transcript.Usage, chunks ...string) {
		t.Helper()
		var joined *field.Usage
		for _, text := range append(chunks, `{}`) {
			var usage field.Usage
			if err := record.Unmarshal([]byte(text), &usage); err != nil {
				t.Fatal(err)
			}
			joined = joined.Join(&usage)
		}
		if got := joined.Tokens(); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", chunks, got, want)
		}
	}
	f(transcript.Usage{Input: 20, CacheRead: 80, Output: 20},
		`{"promptTokenCount":100}`, `{"promptTokenCount":100,"candidatesTokenCount":14,"thoughtsTokenCount":6,"cachedContentTokenCount":80}`)
	f(transcript.Usage{Input: 4, CacheRead: 6, Output: 3}, `{"prompt_tokens":10,"completion_tokens":1}`, `{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":6}}`)
	f(transcript.Usage{Input: 30, CacheRead: 70, Output: 20}, `{"input_tokens":30,"cache_read_input_tokens":70,"output_tokens":1}`, `{"output_tokens":20}`)
	f(transcript.Usage{Input: 4, CacheRead: 6, Output: 3}, `{"input_tokens":10,"output_tokens":3}`, `{"input_tokens":10,"input_tokens_details":{"cached_tokens":6}}`)
}
