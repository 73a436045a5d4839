package browsertest

import (
	"strings"
	"testing"

	"errata/internal/browser"
)

// states and paths of the gallery.
var (
	states = []string{"full", "empty", "failed", "down", "low", "hostile"}
	widths = []int{320, 360, 768, 1280}
)

// galleryPages are the addresses that the gallery's first page leads to, so that a new page is tried without being named.
func galleryPages(p *browser.Page) []string {
	p.Go("/")
	return browser.Eval[[]string](p, "[...document.querySelectorAll('main a[href]')].map(a => a.getAttribute('href'))")
}

// wider says what makes a page wider than the window: elements whose right edge lies outside, except in what scrolls.
const wider = `(function () {
	var root = document.documentElement;
	if (root.scrollWidth <= root.clientWidth) { return []; }
	return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 0.5 && !e.closest(".scroll"))
		.map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).slice(0, 5).concat("width " + root.scrollWidth);
})()`

func fits(t *testing.T, p *browser.Page, where string) {
	t.Helper()
	for _, width := range widths {
		p.Width(width)
		p.Settle()
		if found := browser.Eval[[]string](p, wider); len(found) > 0 {
			t.Errorf("%s is wider than a window of %d: %s", where, width, strings.Join(found, "; "))
		}
	}
	p.Width(1280)
	p.Settle()
}

// painted says of every chart of a page whether something is drawn in it: other colours than that of its corner.
const painted = `[...document.querySelectorAll("[data-chart]")].map(function (box) {
	var canvas = box.querySelector("canvas");
	if (!canvas || !canvas.width || !canvas.height) { return box.dataset.chart + ": no canvas"; }
	var pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
	var inked = 0;
	for (var i = 0; i < pixels.length; i++) { if (pixels[i] !== pixels[0]) { inked++; } }
	return inked > 500 ? "" : box.dataset.chart + ": only " + inked + " pixels are drawn";
}).filter(Boolean)`

func charted(t *testing.T, p *browser.Page, where string) {
	t.Helper()
	for _, blank := range browser.Eval[[]string](p, painted) {
		t.Errorf("%s: chart %s", where, blank)
	}
	// A drawing of the server's own must have a size, or nothing of it is seen.
	for _, flat := range browser.Eval[[]string](p, `[...document.querySelectorAll("main svg")].filter(s => s.checkVisibility()).filter(s => {
		var r = s.getBoundingClientRect(); return r.width < 2 || r.height < 2; }).map(s => s.outerHTML.slice(0, 80))`) {
		t.Errorf("%s: a drawing without size: %s", where, flat)
	}
}

// included is true once all parts of other pages are put in.
const included = "[...document.querySelectorAll('[data-include]')].every(b => b.dataset.readAt)"

func TestEveryGalleryPage(t *testing.T) {
	p := browser.Open(t, gallery(t))
	pages := galleryPages(p)
	if len(pages) < len(states)*8 {
		t.Fatalf("the gallery leads to %d pages", len(pages))
	}
	for _, path := range pages {
		p.Go(path)
		p.Until(included)
		p.Clean(path)
		charted(t, p, path)
		fits(t, p, path)
		p.Shoot("gallery" + strings.ReplaceAll(path, "/", "-"))
	}
}

// Nothing of a page may break a rule of WCAG 2.2 AA, light or dark.
func TestEveryGalleryPageIsAccessible(t *testing.T) {
	axe := browser.NeedAxe(t)
	p := browser.Open(t, gallery(t))
	for _, path := range append(galleryPages(p), "/") {
		p.Media("screen", "prefers-color-scheme", "light")
		p.Go(path)
		p.Until(included)
		browser.Eval[any](p, "document.querySelectorAll('details').forEach(d => { d.open = true; })")
		for _, broken := range p.Judge(axe) {
			t.Errorf("%s, light: %s", path, broken)
		}
		// In the dark the same page differs in its colours alone.
		p.Media("screen", "prefers-color-scheme", "dark")
		p.Settle()
		for _, broken := range p.Judge(axe, "color-contrast", "link-in-text-block") {
			t.Errorf("%s, dark: %s", path, broken)
		}
	}
}
