package metrics

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// sensitivePatterns are the shapes of what must never be shown as an alias: addresses, telephone numbers, and the tokens
// and keys of services that mark theirs.
var sensitivePatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?i)[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+`),                                     // e-mail
	regexp.MustCompile(`(?i)\b(sk|pk|rk|ak)[-_](live|test|proj|ant|or|svcacct)[-_a-z0-9]*\b`),                           // payment and model providers
	regexp.MustCompile(`(?i)\bsk-[a-z0-9_-]{16,}`),                                                                      // model providers
	regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})`),                            // code hosts
	regexp.MustCompile(`\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}\b`),                                                        // cloud access keys
	regexp.MustCompile(`\bAIza[\w-]{30,}`),                                                                              // cloud API keys
	regexp.MustCompile(`\bya29\.[\w-]{10,}`),                                                                            // OAuth access tokens
	regexp.MustCompile(`\bxox[abeoprs]-[\w-]{10,}`),                                                                     // chat tokens
	regexp.MustCompile(`\b(hf|npm|pypi|dop_v1|shpat|sq0[a-z]{3})[_-][A-Za-z0-9_-]{16,}`),                                // registries and shops
	regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{4,}`),                                                                     // JSON web tokens
	regexp.MustCompile(`-----BEGIN [A-Z ]*KEY`),                                                                         // PEM
	regexp.MustCompile(`(?i)\b(bearer|basic|token)\s+[a-z0-9._~+/=-]{8,}`),                                              // authorization headers
	regexp.MustCompile(`(?i)\b(api[-_ ]?key|secret|passw(or)?d|pwd|access[-_ ]?token|auth[-_ ]?token)\s*[:=]\s*\S{4,}`), // assignments
	regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@`),                                                 // passwords in addresses
	regexp.MustCompile(`(^|[^\d])\+\d[\d\s().-]{6,18}\d($|[^\d])`),                                                      // +49 30 1234567
	regexp.MustCompile(`(^|[^\d.-])(\(\d{2,5}\)\s?|\d{3}[-. ])\d{3}[-. ]\d{3,4}($|[^\d.-]|\.($|\D))`),                   // (030) 123-4567, 555-123-4567
	regexp.MustCompile(`^\s*0\d{2,5}[ /-]\d{3,}([ -]?\d+)*\s*$`),                                                        // 030 1234567
}

// Lengths of section 7's guard.
const (
	minKey      = 20      // characters from which a word may be a key
	maxExamined = 4 << 10 // bytes of a text that are examined
)

// LooksSensitive tells whether a value looks like an e-mail address, telephone number, token or key. Such a value is never
// shown as an alias nor exported. It rather errs on the side of silence.
func LooksSensitive(value string) bool {
	value = cut(strings.Trim(strings.TrimSpace(value), `"`), maxExamined) // a JSON string comes with its quotes
	for _, pattern := range sensitivePatterns {
		if pattern.MatchString(value) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"',;:()[]{}<>/`, r) }) {
		if looksRandom(word) {
			return true
		}
	}
	return isPlainPhone(value)
}

// isPlainPhone tells a text that is ten to fifteen digits and begins like a telephone number: the length of E.164.
// Shorter ones and others are more often an identifier.
func isPlainPhone(value string) bool {
	if len(value) < 10 || len(value) > 15 || strings.Trim(value, "0123456789") != "" {
		return false
	}
	return value[0] == '0' || len(value) <= 11
}

// looksRandom tells the words that only machines write: long, of letters and digits mixed, and with much entropy.
// Readable identifiers are built of words in one case; of those each word is looked at by itself.
func looksRandom(word string) bool {
	if len(word) < minKey {
		return false
	}
	if isHex(word) {
		return len(word) >= 32 && strings.ContainsAny(word, "0123456789")
	}
	if strings.ToLower(word) != word && strings.ToUpper(word) != word {
		return isMixed(word)
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune("-_.+=~", r) }) {
		if len(part) >= minKey && isMixed(part) {
			return true
		}
	}
	return false
}

// isMixed tells words of many letters and digits in no order.
func isMixed(word string) bool {
	var lower, upper, digits int
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= '0' && c <= '9':
			digits++
		case c != '_' && c != '-' && c != '+' && c != '=' && c != '.' && c != '~':
			return false
		}
	}
	if digits < 3 || lower+upper < 6 {
		return false
	}
	return (lower > 0 && upper > 0 || digits*5 >= len(word)) && entropy(word) >= 3.6
}

// isHex tells words of hexadecimal digits, UUIDs with their hyphens too.
func isHex(word string) bool {
	return strings.Trim(word, "0123456789abcdefABCDEF-") == ""
}

// entropy is Shannon's entropy of the bytes of a word, in bits a byte (Shannon 1948).
func entropy(word string) float64 {
	var counts [256]int
	for i := 0; i < len(word); i++ {
		counts[word[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(word))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
