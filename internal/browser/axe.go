package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var errNoAxe = errors.New("left out: axe-core is not there, so no page is judged for accessibility; run internal/browser/fetch.sh or make deps, which fetch it from npm")

// NeedAxe gives the text of axe-core. Where it was not fetched the test skips, or fails where ERRATA_REQUIRE_BROWSER=1.
func NeedAxe(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, ".browser", "axe.min.js"))
		if err == nil {
			return string(text)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			missing(t, errNoAxe)
			return ""
		}
		dir = parent
	}
}

// finding is one rule that a page breaks, as axe-core tells it.
type finding struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"summary"`
	} `json:"nodes"`
}

// wcag are the tags of the rules of WCAG up to 2.2 AA.
const wcag = `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`

// judge runs rules and gives what is broken, as little of it as a reader needs.
const judge = `axe.run(document, {runOnly: %s, resultTypes: ["violations"]})
	.then(r => r.violations.map(v => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => ({html: n.html.slice(0, 300), summary: n.failureSummary}))})))`

// Judge lets axe-core judge the page that is shown, by the rules that are named or by all of WCAG 2.2 AA, and gives one line
// for each that it breaks.
func (p *Page) Judge(axe string, rules ...string) []string {
	p.t.Helper()
	if !Eval[bool](p, "typeof axe !== 'undefined'") {
		Eval[any](p, "(function () {"+axe+"\n})()")
	}
	var broken []string
	only := wcag
	if len(rules) > 0 {
		names, _ := json.Marshal(rules)
		only = `{type: "rule", values: ` + string(names) + `}`
	}
	for _, f := range Eval[[]finding](p, fmt.Sprintf(judge, only)) {
		line := f.ID + ": " + f.Help
		for _, n := range f.Nodes {
			line += fmt.Sprintf("\n    %s\n    %s", n.HTML, n.Summary)
		}
		broken = append(broken, line)
	}
	return broken
}
