package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// Access says who may look. The zero value lets in everybody who asks by a loopback address.
type Access struct {
	// Token lets in who sends it as bearer token, or as password with any name.
	Token string
	// User and Password let in who sends both.
	User, Password string
	// BehindProxy lets everybody in: a proxy in front decides.
	BehindProxy bool
}

// open says whether nobody has to log in.
func (a Access) open() bool { return a.Token == "" && a.User == "" && !a.BehindProxy }

// allow says whether a request may be answered, and who sent it where that is known.
func (a Access) allow(r *http.Request) (who string, ok bool) {
	if a.BehindProxy {
		return r.Header.Get("X-Forwarded-User"), true
	}
	if a.open() {
		return "", loopbackHost(r.Host)
	}
	if token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found {
		return "", a.Token != "" && equal(token, a.Token)
	}
	user, password, found := r.BasicAuth()
	if !found {
		return "", false
	}
	if a.Token != "" && equal(password, a.Token) {
		return user, true
	}
	named := equal(user, a.User)
	return user, a.User != "" && equal(password, a.Password) && named
}

// equal compares secrets in a time that does not depend on where they differ.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// loopbackHost says whether a request names this machine. A name that another site points here does not, so that its pages
// cannot read what nobody has to log in for.
func loopbackHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// policy lets a page load from the dashboard alone and run nothing that stands in the page.
const policy = "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'"

// guarded sets the headers that protect a reader and turns away who may not look.
func guarded(access Access, deny func(http.ResponseWriter, *http.Request), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		who, ok := access.allow(r)
		if !ok {
			deny(w, r)
			return
		}
		next.ServeHTTP(w, r.WithContext(withViewer(r.Context(), who)))
	})
}
