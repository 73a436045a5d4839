package browsertest

import (
	"strings"
	"testing"

	"errata/internal/browser"
)

// place is where a reader is in a page: all that must stay while the page follows.
type place struct {
	Same   bool    `json:"same"`   // the page was not loaded again
	Typed  string  `json:"typed"`  // into a field that was not sent
	Open   int     `json:"open"`   // parts that were opened
	Focus  string  `json:"focus"`  // what has the focus
	Scroll float64 `json:"scroll"` // how far down what has the focus stands in the window
	Search string  `json:"search"`
}

const whereabouts = `({same: window.same === true, typed: document.querySelector(".controls [name=model]").value,
	open: document.querySelectorAll("main details[open]").length, focus: document.activeElement.textContent,
	scroll: Math.round(document.activeElement.getBoundingClientRect().top), search: location.search})`

// A page that follows shows what is ingested without being loaded again, and leaves the reader where they are.
func TestLive(t *testing.T) {
	s := demo(t, 60)
	p := browser.Open(t, s.url)
	total := func() string { return p.Text("#total .figures") }
	p.Go("/loops?variant=structured-v2")
	p.Until("document.querySelector('.live-state').textContent.startsWith('Live')")
	if behind := p.Text("#fresh"); !strings.Contains(behind, "records behind") {
		t.Errorf("the page does not say how far behind it is: %q", behind)
	}
	p.Click(".controls summary")
	p.Click("#trend .as-table summary")
	p.Click(".controls [name=model]")
	p.Press("gpt")
	browser.Eval[any](p, "(window.same = true, document.querySelector('#by-code tbody tr:nth-child(3) a, #codes tbody tr:nth-child(3) a, main tbody tr:nth-child(3) th a').focus())")
	before, figures, chart := browser.Eval[place](p, whereabouts), total(), browser.Eval[string](p, "document.getElementById('trend-chart').textContent")
	s.ingest(t, 59)
	p.Until("document.querySelector('#fresh').innerText.includes('records behind') === false || document.querySelector('#total .figures').innerText.replace(/\\s+/g, ' ').trim() !== " + browser.Quote(figures))
	p.Until("document.getElementById('trend-chart').textContent !== " + browser.Quote(chart))
	p.Settle()
	if after := browser.Eval[place](p, whereabouts); after != before {
		t.Errorf("the reader was at %+v and is at %+v", before, after)
	}
	row := s.api(t, "loops?variant=structured-v2")[0]
	if want := grouped(row["mature_repeats"]) + " of " + grouped(row["mature"]); !strings.Contains(total(), want) {
		t.Errorf("the page says %q, the API %q", total(), want)
	}
	if text := browser.Eval[string](p, "document.getElementById('trend-chart').textContent"); !strings.Contains(text, "still maturing") {
		t.Error("what is maturing is not drawn as provisional")
	}
	charted(t, p, "/loops while it follows")
	p.Shoot("live-loops")
	// Stopped by its key, it stays as it is.
	p.Press("p")
	p.Until("document.querySelector('.live.paused')")
	stopped := total()
	s.ingest(t, 1)
	p.Go("/loops?variant=structured-v2")
	p.Until("document.querySelector('.live-state').textContent === 'Paused'")
	p.Press("p")
	p.Until("document.querySelector('.live-state').textContent.startsWith('Live')")
	if stopped == "" {
		t.Error("no figures while stopped")
	}
	p.Clean("/loops while it follows")
}
