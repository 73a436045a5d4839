package transcript

import "strings"

// Pointer makes a JSON Pointer (RFC 6901) of unescaped reference tokens.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

// PointerTokens takes a JSON Pointer apart into unescaped reference tokens. What is no pointer has none.
func PointerTokens(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = unescapeToken(token)
	}
	return tokens
}

// escapeToken escapes a reference token, and unescapeToken undoes it (RFC 6901, section 3 and 4).
func escapeToken(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

func unescapeToken(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
