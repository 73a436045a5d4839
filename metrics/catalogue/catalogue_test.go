package catalogue_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"errata/metrics/ask"
	"errata/metrics/catalogue"
)

var write = flag.Bool("write", false, "write docs/metrics.md")

const page = "../../docs/metrics.md"

func TestPageIsFresh(t *testing.T) {
	if *write {
		if err := os.WriteFile(page, []byte(catalogue.Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != catalogue.Page() {
		t.Error("docs/metrics.md is not what the records say: run go generate ./metrics/catalogue")
	}
}

func TestEveryRecordIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, section := range catalogue.Sections {
		for _, m := range section.Metrics {
			for _, text := range []string{m.Name, m.Question, m.Definition, m.Formula, m.Unit, string(m.Direction), m.CannotSay} {
				if strings.TrimSpace(text) == "" {
					t.Errorf("%s: something is not said: %+v", m.Name, m)
				}
			}
			if seen[m.Name] {
				t.Errorf("%s is there twice", m.Name)
			}
			seen[m.Name] = true
		}
	}
}

func TestEveryRowOfAComparisonIsDefined(t *testing.T) {
	for _, name := range ask.ComparedMetrics() {
		if _, ok := catalogue.Lookup(name); !ok {
			t.Errorf("%s is not defined", name)
		}
	}
}
