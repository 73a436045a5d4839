package metrics

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"errata/transcript"

	"github.com/cespare/xxhash/v2"
)

// Bounds of a mined code and of the text that it is made from.
const (
	slugLength     = 60      // characters of a mined code without its mark
	gistLength     = 2_000   // bytes of a message that are looked at for a code
	templateLength = 400     // bytes of a template
	scanLength     = 8 << 10 // bytes of a message in which its gist is looked for
)

// EmptyError is the code of a flagged error with an empty body.
const EmptyError transcript.Code = "empty_error"

// Fold brings a code to lower snake case, the form that figures are grouped by: RATE_LIMITED, rate-limited, RateLimited
// and "rate limited" are one. A mined code keeps its mark.
func Fold(code transcript.Code) transcript.Code {
	var b strings.Builder
	runes := []rune(strings.TrimSpace(string(code)))
	if len(runes) > 0 && runes[0] == '~' {
		b.WriteByte('~')
		runes = runes[1:]
	}
	gap := false // a separator is due before the next letter or digit
	start := b.Len()
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			if r == '-' && i == 0 && len(runes) > 1 && unicode.IsDigit(runes[1]) {
				b.WriteByte('-') // -32602 is another code than 32602
			}
			gap = true
			continue
		}
		if i > 0 && unicode.IsUpper(r) && endsWord(runes, i) {
			gap = true
		}
		if gap && b.Len() > start && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == start {
		return code
	}
	return transcript.Code(b.String())
}

// endsWord tells whether the upper-case letter at i begins a word of a code in camel case: after a lower-case letter
// or digit, or before a lower-case one at the end of an acronym (HTTPError).
func endsWord(runes []rune, i int) bool {
	before := runes[i-1]
	if unicode.IsLower(before) {
		return true
	}
	next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
	return next && (unicode.IsUpper(before) || unicode.IsDigit(before))
}

// MinedCode makes a code of a message, and its template: the message with its volatile parts as placeholders. It
// depends on the message and the rules alone.
func (r *Rules) MinedCode(message string) (transcript.Code, string) {
	template := r.Template(message)
	slug := slugOf(template)
	if slug == "" {
		slug = slugOf(placeholder.ReplaceAllString(template, "$1"))
	}
	if slug == "" {
		slug = "unspecified"
	}
	return transcript.Code("~" + cutSlug(slug)), cut(template, templateLength)
}

// Template is the gist of a message with its volatile parts as placeholders.
func (r *Rules) Template(message string) string {
	text := r.gist(message)
	for i := range r.volatile {
		text = r.volatile[i].replace(text)
	}
	for i := range volatileParts {
		text = volatileParts[i].replace(text)
	}
	return strings.Join(strings.Fields(text), " ")
}

// cutSlug cuts a slug to its length, at a word where one ends near, and says with a short hash what was cut off.
func cutSlug(slug string) string {
	runes := []rune(slug)
	if len(runes) <= slugLength {
		return slug
	}
	hash := fmt.Sprintf("_%06x", xxhash.Sum64String(slug)&0xffffff)
	return strings.TrimRight(string(runes[:slugLength-len(hash)]), "_") + hash
}

// slugOf joins the words of a template by underscores, without its placeholders.
func slugOf(template string) string {
	var b strings.Builder
	gap := false
	for _, r := range placeholder.ReplaceAllString(template, " ") {
		switch {
		case r == '\'' || r == '’':
			// "doesn't" is one word.
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return b.String()
}

// placeholder matches what stands for a volatile part in a template.
var placeholder = regexp.MustCompile(`<(number|id|value|path|url|email|counter|duration|time|tag)>`)

// volatilePart is a part of a message that differs from call to call.
type volatilePart struct {
	pattern     *regexp.Regexp
	placeholder string
	needs       *[256]bool // bytes of which a match has at least one; nil: not known
}

// part makes a volatile part of a pattern and the bytes of which every match has at least one.
func part(pattern, placeholder, needs string) volatilePart {
	p := volatilePart{pattern: regexp.MustCompile(pattern), placeholder: placeholder}
	if needs != "" {
		p.needs = anyOf(needs)
	}
	return p
}

// replace puts the placeholder in the place of every match.
func (p *volatilePart) replace(text string) string {
	if !hasAny(text, p.needs) {
		return text
	}
	return p.pattern.ReplaceAllString(text, p.placeholder)
}

// volatileParts is the fixed list, in the order in which it is applied: what contains others comes first.
var volatileParts = []volatilePart{
	part(`\[\.\.\.[^\]\n]*\]`, " ", "["),
	part(`(?i)</?(?:tool_use_error|tool_error|error|system_error)>`, " ", "<"),
	part(`(?i)\b(?:count|attempt|retry|try)\s*[=:#]\s*\d+(?:\s*(?:/|of)\s*\d+)?`, "<counter>", digits),
	part(`(?i)\(?\b(?:attempt|retry|try)\s+\d+\s*(?:/|of)\s*\d+\)?`, "<counter>", digits),
	part(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>)\]]+`, "<url>", "/"),
	part(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`, "<email>", "@"),
	part(`\b\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|\s?UTC|[+-]\d{2}:?\d{2})?)?`, "<time>", digits),
	part(`\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b`, "<time>", digits),
	part(`"(?:[^"\\\n]|\\.){0,400}"`, "<value>", `"`),
	part("`[^`\n]{0,400}[`']", "<value>", "`"),
	part(`“[^”\n]{0,400}”|‘[^’\n]{0,400}’|«[^»\n]{0,400}»|„[^“”\n]{0,400}[“”]|「[^」\n]{0,400}」`, "<value>", beyondASCII),
	part(`(^|[\s(\[:=,])'(?:[^'\\\n]|\\.){0,400}'`, "$1<value>", "'"),
	part(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "<id>", "-"),
	part(`(^|[\s(\[:=,])(?:[A-Za-z]:\\|\\\\)[^\s"'<>|]+`, "$1<path>", `\`),
	part(`(^|[\s(\[:=,])(?:~|\.{1,2})?/[^\s"'<>:,;)\]]*[^\s"'<>:,;)\].]`, "$1<path>", "/"),
	part(`(?:[\pL\pN_.@-]+/)+[\pL\pN_@-]+\.[A-Za-z0-9]{1,8}\b`, "<path>", "/"),
	part(`\b(?:0[xX][0-9a-fA-F]+|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{5,}|[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]{5,}|[0-9a-f]{16,})\b`, "<id>", digits+"abcdef"),
	part(`\b[+-]?\d+(?:[.,]\d+)*\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|days?)\b`, "<duration>", digits),
	part(`\b[\pL\pN]*(?:\pL[\pN]{2,}|\pN{2,}\pL)[\pL\pN]*(?:[_-][\pL\pN]*\d[\pL\pN]*)*\b`, "<id>", digits+beyondASCII),
	part(`\b[\pL][\pL_]*[_#-]\d[\pL\pN_-]*\b`, "<id>", digits),
	part(`#\d+\b`, "<id>", "#"),
	part(`[+-]?[$€£¥]?\d+(?:[.,]\d+)*%?`, "<number>", digits),
}
