package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"errata/internal/browser"
)

// controls are what a reader can do something with, as they are seen now.
const controls = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
	.filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled)`

// focused describes what has the focus, and whether it shows: an outline, or for the skip link that it is in the window.
const focused = `(function () {
	var e = document.activeElement;
	if (!e || e === document.body) { return {index: -1, shown: true}; }
	var style = getComputedStyle(e), box = e.getBoundingClientRect();
	return {index: ` + controls + `.indexOf(e), text: e.outerHTML.slice(0, 120),
		shown: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight};
})()`

// Every control of a page is reached by Tab alone, in the order in which it stands, and shows that it has the focus.
func TestWalkByKeyboard(t *testing.T) {
	p := browser.Open(t, gallery(t))
	for _, path := range []string{"/full/", "/full/loops", "/full/recovery", "/full/codes", "/full/aliases", "/full/runs", "/full/health", "/full/runs/r-1", "/failed/", "/empty/loops"} {
		p.Go(path)
		want := browser.Eval[int](p, controls+".length")
		seen, last := map[int]bool{}, -1
		for range want {
			p.Press("\t")
			at := browser.Eval[struct {
				Index int    `json:"index"`
				Text  string `json:"text"`
				Shown bool   `json:"shown"`
			}](p, focused)
			if at.Index < 0 || at.Index <= last {
				t.Errorf("%s: after control %d the focus is on %d of %d: %s", path, last, at.Index, want, at.Text)
				break
			}
			if !at.Shown {
				t.Errorf("%s: it does not show that the focus is on %s", path, at.Text)
			}
			seen[at.Index], last = true, at.Index
		}
		if len(seen) != want {
			t.Errorf("%s: Tab reaches %d of %d controls", path, len(seen), want)
		}
	}
	p.Go("/full/loops")
	p.Press("\t\r")
	p.Until("document.activeElement.id === 'main'")
	p.Clean("the walk")
}

// A reader's choice of colours holds at once and on every page, with scripts and without.
func TestTheme(t *testing.T) {
	p := browser.Open(t, gallery(t))
	p.Media("screen", "prefers-color-scheme", "light")
	background := func() string { return browser.Eval[string](p, "getComputedStyle(document.body).backgroundColor") }
	axis := func() string {
		return browser.Eval[string](p, "echarts.getInstanceByDom(document.querySelector('[data-chart]')).getOption().textStyle.color || echarts.getInstanceByDom(document.querySelector('[data-chart]')).getOption().tooltip[0].backgroundColor")
	}
	p.Go("/full/loops")
	light, lightAxis := background(), axis()
	p.Click(".theme [value=dark]")
	p.Until("getComputedStyle(document.body).backgroundColor !== " + browser.Quote(light))
	dark := background()
	if axis() == lightAxis {
		t.Error("the chart kept the light colours")
	}
	p.Go("/full/recovery")
	if background() != dark {
		t.Error("the next page forgot")
	}
	p.Media("print", "prefers-color-scheme", "light")
	if got := background(); got != "rgb(255, 255, 255)" {
		t.Errorf("printed on %s", got)
	}
	if n := browser.Eval[int](p, "[...document.querySelectorAll('nav, button, input, .controls, .keys, .theme, .live')].filter(e => e.checkVisibility()).length"); n > 0 {
		t.Errorf("%d controls are printed", n)
	}
	p.Media("screen", "prefers-color-scheme", "light")
	p.Scripts(false)
	p.Go("/full/loops?tool=a")
	p.Click(".theme [value=light]")
	p.Until("document.readyState === 'complete' && getComputedStyle(document.body).backgroundColor === " + browser.Quote(light))
	if at := browser.Eval[string](p, "location.pathname + location.search"); at != "/full/loops?tool=a" {
		t.Errorf("the form led to %s", at)
	}
	p.Clean("the themes")
}

// Nothing that stands in a transcript is run, loaded or followed, turns the direction of the page, or makes it wider.
func TestHostileTranscripts(t *testing.T) {
	p := browser.Open(t, gallery(t))
	for _, path := range galleryPages(p) {
		if !strings.HasPrefix(path, "/hostile") {
			continue
		}
		p.Go(path)
		browser.Eval[any](p, "document.querySelectorAll('details').forEach(d => { d.open = true; })")
		p.Settle()
		for what, expression := range map[string]string{
			"elements out of a text":   `[...document.querySelectorAll("main img, main iframe, main object, main embed, main style, main link, main script:not([type='application/json'])")].map(e => e.outerHTML.slice(0, 80))`,
			"handlers out of a text":   `[...document.querySelectorAll("main *")].filter(e => e.getAttributeNames().some(n => n.startsWith("on"))).map(e => e.outerHTML.slice(0, 80))`,
			"links to somewhere else":  `[...document.querySelectorAll("a[href]")].map(a => new URL(a.getAttribute("href"), location)).filter(u => u.origin !== location.origin).map(u => u.href.slice(0, 80))`,
			"characters that mislead":  `[...document.body.innerText].filter(c => /[\u0000-\u0008\u000b-\u001f\u200b\u202a-\u202e\u2066-\u2069]/.test(c)).map(c => c.codePointAt(0).toString(16))`,
			"something that was run":   `window.pwned ? ["window.pwned is set"] : []`,
			"a title that was changed": `document.title.includes("Errata") ? [] : [document.title]`,
		} {
			if found := browser.Eval[[]string](p, expression); len(found) > 0 {
				t.Errorf("%s has %s: %s", path, what, fmt.Sprint(found))
			}
		}
		fits(t, p, path)
		p.Clean(path)
	}
}
