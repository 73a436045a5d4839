package browsertest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"errata/internal/browser"
)

// stateOf is what the API says of a candidate now.
func (s *site) stateOf(t *testing.T, rejected, accepted string) string {
	t.Helper()
	for _, row := range s.api(t, "aliases?all=1") {
		if row["rejected"] == rejected && row["accepted"] == accepted {
			return row["state"].(string)
		}
	}
	t.Errorf("the API has no candidate %s → %s", rejected, accepted)
	return ""
}

// current is the candidate that the keys would decide about.
func current(p *browser.Page) (rejected, accepted string) {
	pair := browser.Eval[[2]string](p, "['rejected', 'accepted'].map(n => document.querySelector('.current [name=' + n + ']').value)")
	return pair[0], pair[1]
}

// decides is true once the script has shown an answer that begins with a word.
func decides(p *browser.Page, word string) {
	p.Until("document.querySelector('.queue-status').textContent.startsWith(" + browser.Quote(word) + ")")
}

// keyboardReview goes from the cost of a code to an accepted alias in three keystrokes, and on from there without a mouse.
func keyboardReview(t *testing.T, s *site, p *browser.Page) {
	code := ""
	for _, row := range s.api(t, "cost?by=code") {
		name := row["by"].(map[string]any)["code"].(string)
		if len(s.api(t, "aliases?code="+url.QueryEscape(name))) > 2 {
			code = name
			break
		}
	}
	p.Go("/codes/" + url.PathEscape(code))
	p.Press("ga")
	p.Until("location.pathname === '/aliases' && document.querySelector('.current')")
	if got := browser.Eval[string](p, "location.search"); got != "?code="+url.QueryEscape(code) {
		t.Errorf("the queue of %s is at %s", code, got)
	}
	rejected, accepted := current(p)
	p.Press("a")
	decides(p, "Accepted.")
	if got := s.stateOf(t, rejected, accepted); got != "accepted" {
		t.Errorf("after a: %s", got)
	}
	second, secondAccepted := current(p)
	if second == rejected && secondAccepted == accepted {
		t.Error("the queue did not go on to the next candidate")
	}
	p.Press("r")
	decides(p, "Rejected.")
	if got := s.stateOf(t, second, secondAccepted); got != "rejected" {
		t.Errorf("after r: %s", got)
	}
	p.Press("u")
	decides(p, "Undone.")
	if got := s.stateOf(t, second, secondAccepted); got != "new" {
		t.Errorf("after u: %s", got)
	}
	p.Press("k")
	if now, _ := current(p); now != rejected {
		t.Errorf("k leads to %s, want %s", now, rejected)
	}
	// A key that is typed is no command.
	p.Press("nalright")
	if note := browser.Eval[string](p, "document.activeElement.value"); note != "alright" {
		t.Errorf("the note is %q", note)
	}
	p.Press("\x1b" + "u")
	decides(p, "Undone.")
	if got := s.stateOf(t, rejected, accepted); got != "new" {
		t.Errorf("after the second u: %s", got)
	}
	p.Press("?")
	p.Until("document.getElementById('keys').open")
	p.Clean("the queue")
}

// secondReviewer decides what somebody else has decided since the page was opened: it is shown, and not overwritten.
func secondReviewer(t *testing.T, s *site, p *browser.Page) {
	p.Go("/aliases?state=new")
	rejected, accepted := current(p)
	other := browser.Open(t, s.url)
	other.Go("/aliases?state=new")
	other.Press("r")
	decides(other, "Rejected.")
	p.Press("a")
	p.Until("!document.querySelector('.candidate .overtaken').hidden")
	if said := p.Text(".candidate .overtaken"); !strings.Contains(said, "Somebody else was faster: rejected") {
		t.Errorf("the second reviewer is told %q", said)
	}
	if got := s.stateOf(t, rejected, accepted); got != "rejected" {
		t.Errorf("the first decision is now %s", got)
	}
	// Having seen it, the second may differ.
	p.Press("a")
	decides(p, "Accepted.")
	if got := s.stateOf(t, rejected, accepted); got != "accepted" {
		t.Errorf("after a look: %s", got)
	}
	// The list of what was decided undoes it, on the server.
	p.Go("/aliases")
	p.Click("[data-undo]")
	p.Until("document.readyState === 'complete' && document.querySelector('.past .small').innerText.includes('rejected')")
	if got := s.stateOf(t, rejected, accepted); got != "rejected" {
		t.Errorf("after undoing: %s", got)
	}
}

// formsReview decides with scripts off.
func formsReview(t *testing.T, s *site) {
	p := browser.Open(t, s.url)
	p.Scripts(false)
	p.Go("/aliases?state=new")
	pair := browser.Eval[[2]string](p, "['rejected', 'accepted'].map(n => document.querySelector('.candidate [name=' + n + ']').value)")
	p.Click(".candidate button[value=accepted]")
	p.Until("document.readyState === 'complete' && document.querySelector('.past .small').innerText.includes('accepted')")
	if got := s.stateOf(t, pair[0], pair[1]); got != "accepted" {
		t.Errorf("after the form: %s", got)
	}
	export, err := http.Get(s.url + browser.Eval[string](p, "document.querySelector('#table .links a').getAttribute('href')"))
	if err != nil {
		t.Fatal(err)
	}
	defer export.Body.Close()
	if export.StatusCode != http.StatusOK {
		t.Errorf("the export: status %d", export.StatusCode)
	}
}
