package web_test

import (
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// figurePages are the pages that show figures.
var figurePages = []string{"/", "/loops", "/recovery", "/codes", "/codes/~invalid_status", "/compare?a=bare-v1&b=structured-v2&split=0.5",
	"/compare?cutover=2026-10-22T12:00:00Z", "/shadow", "/aliases", "/aliases/waiting", "/health"}

// The definition of every figure is within reach, and every panel that shows figures leads to the same as data.
func TestEveryFigureIsDefined(t *testing.T) {
	for _, target := range figurePages {
		root, err := html.Parse(strings.NewReader(get(t, "full", target).Body.String()))
		if err != nil {
			t.Fatal(err)
		}
		figures := 0
		for _, f := range cascadia.QueryAll(root, cascadia.MustCompile(".figure")) {
			figures++
			if cascadia.Query(f, cascadia.MustCompile(".define p")) == nil {
				t.Errorf("%s: %q has no definition", target, words(f))
			}
		}
		if figures == 0 && target != "/aliases" {
			t.Errorf("%s shows no figure", target)
		}
		for _, panel := range cascadia.QueryAll(root, cascadia.MustCompile("section.panel:has(.figure), section.panel:has(table)")) {
			links := words(panel.FirstChild)
			if id := attribute(panel, "id"); !strings.Contains(links, "CSV") && !elsewhere[id] {
				t.Errorf("%s: #%s leads to no data: %q", target, id, links)
			}
		}
	}
}

// elsewhere are panels of the overview that sum up another page and lead there, and the parts of one answer that its first panel
// leads to.
var elsewhere = map[string]bool{"health": true, "new": true, "partitions": true, "rejects": true}

func words(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
