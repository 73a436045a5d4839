package catalogue_test

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"errata/metrics/ask"
	"errata/metrics/catalogue"
)

var write = flag.Bool("write", false, "write docs/metrics.md and docs/prices.md")

func TestPageIsFresh(t *testing.T) {
	for path, want := range map[string]string{"../../docs/metrics.md": catalogue.Page(), "../../docs/prices.md": catalogue.PricesPage()} {
		if *write {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != want {
			t.Errorf("%s is not what the records say: run go generate ./metrics/catalogue", path)
		}
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

// Every field of every row of the API is told by a record of its section, and no record names a field that is not there.
func TestEveryFieldIsDefined(t *testing.T) {
	dimensions := map[string]bool{"by": true, "level": true, "tool": true, "field": true, "rejected": true, "accepted": true, "code": true, "finding": true}
	f := func(endpoint string, rows ...any) {
		t.Helper()
		told, there := map[string]bool{}, map[string]bool{}
		for _, section := range catalogue.Sections {
			if section.Endpoint != endpoint {
				continue
			}
			for _, m := range section.Metrics {
				for _, field := range strings.Split(m.Fields, ", ") {
					if field != "" {
						told[field] = true
					}
				}
			}
		}
		for _, row := range rows {
			fields(reflect.TypeOf(row), there)
		}
		for field := range there {
			if !told[field] && !dimensions[field] {
				t.Errorf("%s: no record tells what %s means", endpoint, field)
			}
		}
		for field := range told {
			if !there[field] {
				t.Errorf("%s: a record names %s, which no row has", endpoint, field)
			}
		}
	}
	f("loops", ask.Loops{})
	f("next_actions", ask.NextActions{})
	f("recovery", ask.Recovery{})
	f("cost", ask.Cost{})
	f("waste", ask.Waste{})
	f("breaker", ask.Breaker{})
	f("field_effects", ask.FieldEffect{})
	f("coupling", ask.Coupling{})
	f("aliases", ask.Alias{})
	f("shadow", ask.Shadow{})
	f("shadow_agreement", ask.ShadowAgreement{})
	f("compare", ask.Compared{}, ask.Comparison{})
	f("errors", ask.ErrorKind{})
	f("runs", ask.RunRow{})
	f("health", ask.Health{})
}

// fields collects the names of a struct's fields in JSON; of what is common to all answers none.
func fields(row reflect.Type, names map[string]bool) {
	for i := range row.NumField() {
		field := row.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case strings.HasPrefix(field.Name, "Answer"):
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			fields(field.Type, names)
		case name != "" && name != "-":
			names[name] = true
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
