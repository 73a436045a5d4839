package browsertest

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"errata/internal/browser"
	"errata/web/ui"
)

// everyPage are the pages as the navigation names them, with one run.
func everyPage(p *browser.Page) []string {
	p.Go("/runs")
	run := browser.Eval[string](p, "document.querySelector('main tbody a[href^=\"/runs/\"]').getAttribute('href')")
	return append(browser.Eval[[]string](p, "[...document.querySelectorAll('header nav a')].map(a => a.getAttribute('href'))"), run)
}

func TestDemo(t *testing.T) {
	s := demo(t, 0)
	p := browser.Open(t, s.url)
	t.Run("every page", func(t *testing.T) { everyDemoPage(t, p.For(t)) })
	t.Run("a filter and back", func(t *testing.T) { filterAndBack(t, s, p.For(t)) })
	t.Run("to the worst transcript", func(t *testing.T) { worstTranscript(t, s, p.For(t)) })
	t.Run("verdict of a cutover", func(t *testing.T) { verdictOfCutover(t, s, p.For(t)) })
	t.Run("what waits", func(t *testing.T) { whatWaits(t, s, p.For(t)) })
	t.Run("walk by keys", func(t *testing.T) { walkByKeys(t, s, p.For(t)) })
	t.Run("review by keys", func(t *testing.T) { keyboardReview(t, s, p.For(t)) })
	t.Run("two reviewers", func(t *testing.T) { secondReviewer(t, s, p.For(t)) })
	t.Run("review by forms", func(t *testing.T) { formsReview(t, s) })
	t.Run("without scripts", func(t *testing.T) { withoutScripts(t, s) })
}

// everyDemoPage opens every page on simulated runs: its charts are painted, and nothing goes wrong.
func everyDemoPage(t *testing.T, p *browser.Page) {
	charts := 0
	for _, path := range everyPage(p) {
		if status := p.Go(path); status != 200 {
			t.Errorf("%s: status %d", path, status)
		}
		charts += p.Count("[data-chart]")
		p.Clean(path)
		charted(t, p, path)
		fits(t, p, path)
		for _, scheme := range []string{"light", "dark"} {
			p.Media("screen", "prefers-color-scheme", scheme)
			p.Settle()
			p.Shoot("demo" + strings.ReplaceAll(strings.TrimRight(path, "0123456789"), "/", "-") + "-" + scheme)
			p.Width(360)
			p.Settle()
			p.Shoot("demo" + strings.ReplaceAll(strings.TrimRight(path, "0123456789"), "/", "-") + "-" + scheme + "-narrow")
			p.Width(1280)
		}
		p.Media("screen")
	}
	if charts < 4 {
		t.Errorf("all pages together have %d charts", charts)
	}
}

// filterAndBack narrows a page to one tool by its form, and goes back.
func filterAndBack(t *testing.T, s *site, p *browser.Page) {
	p.Go("/loops")
	before := p.Text("#total .figure")
	tool := s.api(t, "loops?by=tool")[0]["by"].(map[string]any)["tool"].(string)
	p.Click(".controls summary")
	p.Click(".controls input[name=tool]")
	p.Press(tool + "\r")
	p.Until("location.search === " + browser.Quote("?tool="+url.QueryEscape(tool)) + " && document.readyState === 'complete'")
	after := p.Text("#total .figure")
	if after == before {
		t.Errorf("the filter changed nothing: %s", after)
	}
	row := s.api(t, "loops?tool="+url.QueryEscape(tool))[0]
	if want := grouped(row["mature_repeats"]) + " of " + grouped(row["mature"]); !strings.Contains(after, want) {
		t.Errorf("the page says %q, the API %q", after, want)
	}
	if chip := p.Text(".chip"); !strings.Contains(chip, "tool = "+tool) {
		t.Errorf("the chip says %q", chip)
	}
	p.Back()
	if now := p.Text("#total .figure"); now != before || strings.Contains(browser.Eval[string](p, "location.href"), "tool=") {
		t.Errorf("back: %q, want %q", now, before)
	}
	p.Clean("/loops with a filter")
}

// worstTranscript goes from the overview to the transcript of the run with most episodes that never recovered by two clicks,
// and to the call at which the first of them began by a third.
func worstTranscript(t *testing.T, s *site, p *browser.Page) {
	p.Go("/")
	p.Click(`main a[href*="ending=abandoned"]`)
	p.Until("location.pathname === '/runs' && location.search.includes('sort=-abandoned') && document.readyState === 'complete'")
	p.Click(`#run-table tbody a[href^="/runs/"]`)
	p.Until("location.pathname.startsWith('/runs/') && document.readyState === 'complete'")
	want := s.api(t, "runs?ending=abandoned&sort=-abandoned")[0]["run_id"].(string)
	if at := browser.Eval[string](p, "location.pathname"); at != "/runs/"+url.PathEscape(want) {
		t.Errorf("two clicks lead to %s, want %s", at, want)
	}
	if first := p.Text("#episode-table tbody tr"); !strings.Contains(first, "never recovered") {
		t.Errorf("the first episode is %q", first)
	}
	p.Click("#episode-table tbody th a")
	p.Until("document.querySelector('.call.error:target')")
	p.Shoot("demo-worst-episode")
}

// verdictOfCutover marks the moment of the demo's cutover: the page of loops then says by itself what it changed, as the
// comparison does.
func verdictOfCutover(t *testing.T, s *site, p *browser.Page) {
	p.Go("/compare")
	body := browser.Quote(`{"name": "structured errors", "at": "` + end.AddDate(0, 0, -7).Format(time.RFC3339) + `"}`)
	browser.Eval[any](p, "fetch('/api/v1/cutovers', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: "+body+"}).then(r => r.text())")
	p.Go("/loops?last=1d")
	p.Until("(document.querySelector('#since .word') || {}).textContent")
	compared := browser.Eval[string](p, "document.querySelector('#since .links a').getAttribute('href')")
	said := p.Text("#since .included")
	p.Clean("/loops with a cutover")
	p.Go(compared)
	if verdict := p.Text("#verdict"); verdict != said {
		t.Errorf("loops say %q, the comparison %q", said, verdict)
	}
}

// whatWaits is the number of the overview that comes after the rest of it.
func whatWaits(t *testing.T, s *site, p *browser.Page) {
	p.Go("/")
	p.Until("(document.querySelector('#reviews .value') || {}).textContent")
	if got, want := p.Text("#reviews .value"), strconv.Itoa(len(s.api(t, "aliases?state=new"))); got != want {
		t.Errorf("%s names wait, the API says %s", got, want)
	}
	p.Clean("/ with what waits")
}

// walkByKeys goes from failed call to failed call of the run with most errors, and back.
func walkByKeys(t *testing.T, s *site, p *browser.Page) {
	run := s.api(t, "runs?sort=-errored")[0]
	p.Go("/runs/" + url.PathEscape(run["run_id"].(string)))
	failed := browser.Eval[[]string](p, "[...document.querySelectorAll('.call.error')].map(c => '#' + c.id)")
	if len(failed) < 3 {
		t.Fatalf("the run has %d failed calls", len(failed))
	}
	at := func(want string) {
		t.Helper()
		p.Until("location.hash === " + browser.Quote(want) + " && document.activeElement === document.querySelector(':target')")
	}
	p.Press("n")
	at(failed[0])
	p.Press("n")
	at(failed[1])
	if said := p.Text(".walk-state"); !strings.HasPrefix(said, "failed call 2 of "+strconv.Itoa(len(failed))) {
		t.Errorf("the bar says %q", said)
	}
	p.Press("p")
	at(failed[0])
	p.Press("p")
	if said := p.Text(".walk-state"); said != "No further failed call" {
		t.Errorf("before the first the bar says %q", said)
	}
	p.Clean("a run walked by keys")
}

// withoutScripts reads every page and sends a form with scripts off.
func withoutScripts(t *testing.T, s *site) {
	p := browser.Open(t, s.url)
	pages := everyPage(p)
	p.Scripts(false)
	for _, path := range pages {
		p.Go(path)
		p.Clean(path + " without scripts")
	}
}

// grouped is a count of the API as pages show it.
func grouped(count any) string { return ui.Count(int64(count.(float64))) }
