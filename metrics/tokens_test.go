package metrics

import (
	"strings"
	"testing"

	"errata/transcript"
)

func TestBPE(t *testing.T) {
	b := NewBPE()
	f := func(model, text string, want int64) {
		t.Helper()
		if got := b.Count(model, text); got != want {
			t.Errorf("%s counts %d tokens in %.20q, want %d", model, got, text, want)
		}
	}
	f("gpt-4o", "", 0)
	f("gpt-4o", "hello world", 2)
	f("gpt-4-0613", "hello world", 2)
	// A word that the newer vocabulary has whole, and the older one in two parts.
	if newer, older := b.Count("gpt-4o", "Привет мир"), b.Count("gpt-4", "Привет мир"); newer >= older {
		t.Errorf("o200k counts %d tokens, cl100k %d: the newer has more of the world's words", newer, older)
	}
	// Beyond the bound a text has as many tokens a byte as before it.
	line := strings.Repeat("hello world, ", 21) + "\n"
	short, long := strings.Repeat(line, 100), strings.Repeat(line, 10_000)
	if few, many := b.Count("", short), b.Count("", long); many < few*95 || many > few*105 {
		t.Errorf("%d tokens in a text, %d in a hundred of it", few, many)
	}
	b.Count("", strings.Repeat("a", 300_000)) // one word without an end
	b.Count("", "\xff\xfe broken \x80")
}

func TestBodyTokensOfCutBody(t *testing.T) {
	got := bodyTokens(letters{}, "", &transcript.Result{Body: "12345678", BodyLength: 80})
	if got != 20 {
		t.Errorf("got %d tokens, want the 2 of a tenth of the body ten times", got)
	}
}
