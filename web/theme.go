package web

import (
	"net/http"
	"net/url"
	"strings"

	"errata/web/api"
	"errata/web/ui"
)

// themeCookie remembers how a reader wants pages coloured, so that the first paint is right, also without scripts.
const themeCookie = "errata_theme"

// themeOf is what the reader chose. A page that was sent by a form can be asked for again only by its own address.
func (s *Server) themeOf(r *http.Request) ui.Theme {
	t := ui.Theme{Action: s.cfg.Base + "/theme", Back: s.cfg.Base + "/"}
	if r.Method == http.MethodGet {
		t.Back = r.URL.RequestURI()
	}
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == ui.ThemeLight || c.Value == ui.ThemeDark) {
		t.Name = c.Value
	}
	return t
}

// theme keeps what a reader chose and goes back to the page.
func (s *Server) theme(q *request) (page, error) {
	q.Body = http.MaxBytesReader(nil, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		return page{}, badForm(err)
	}
	const year = 365 * 24 * 3600
	c := &http.Cookie{Name: themeCookie, Value: q.PostForm.Get("theme"), Path: s.cfg.Base + "/", MaxAge: year, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	switch c.Value {
	case ui.ThemeLight, ui.ThemeDark:
	case ui.ThemeAuto:
		c.MaxAge = -1
	default:
		return page{}, &api.Error{Status: http.StatusBadRequest, Code: "invalid_field", Field: "theme", Message: "theme must be auto, light or dark"}
	}
	return page{to: s.within(q.PostForm.Get("back")), cookie: c}, nil
}

// within is an address where it is one of this site, else the site's first page. A form must not lead anywhere else.
func (s *Server) within(to string) string {
	home := s.cfg.Base + "/"
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || !strings.HasPrefix(u.Path, home) || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return home
	}
	return to
}
