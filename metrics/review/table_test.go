package review

import (
	"go/format"
	"reflect"
	"strings"
	"testing"
)

// hostile holds every kind of name that could break a format.
var hostile = Table{
	{Level: "value", Tool: "update_ticket", Field: "/status", Rejected: `"OPEN"`, Accepted: `"open"`},
	{Level: "value", Tool: "t", Field: "/case", Rejected: "*", Accepted: "*"},
	{Level: "value", Tool: "t", Field: "/n", Rejected: "-5", Accepted: "5"},
	{Level: "value", Tool: "t", Field: "/n", Rejected: "null", Accepted: "true"},
	{Level: "parameter", Tool: "=cmd()", Field: "/a,b\"c", Rejected: "@path", Accepted: "+path"},
	{Level: "tool", Tool: "`); panic(\"", Rejected: "'=quoted", Accepted: "'"},
	{Level: "tool", Tool: "日本", Rejected: "line\nbreak\ttab", Accepted: "</script> & <b>"},
}

func TestTablesComeBack(t *testing.T) {
	for name, write := range map[string]func(Table) ([]byte, error){"json": Table.JSON, "csv": Table.CSV, "go": Table.Go} {
		for _, table := range []Table{hostile, {}} {
			text, err := write(table)
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParseTable(text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			if !reflect.DeepEqual(back, table) {
				t.Errorf("%s: got %q, want %q", name, back, table)
			}
		}
	}
	if err := hostile.check(); err != nil {
		t.Error(err)
	}
}

func TestGoTableIsFormatted(t *testing.T) {
	text, err := hostile.Go()
	if err != nil {
		t.Fatal(err)
	}
	formatted, err := format.Source(text)
	if err != nil || string(formatted) != string(text) {
		t.Errorf("not as gofmt writes it: %v", err)
	}
}

func TestCSVHoldsNoFormula(t *testing.T) {
	text, err := hostile.CSV()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"'=cmd()", "'@path", "'+path", "'-5", "''=quoted"} {
		if !strings.Contains(string(text), cell) {
			t.Errorf("no cell %s in\n%s", cell, text)
		}
	}
}

func TestTablesThatAreNone(t *testing.T) {
	f := func(text, part string) {
		t.Helper()
		table, err := ParseTable([]byte(text))
		if err == nil {
			err = table.check()
		}
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%.40q: got %v, want an error that says %q", text, err, part)
		}
	}
	f("", "empty")
	f("{}", "begins with")
	f("[{}]", "level")
	f(`[{"level":"value","tool":"t","rejected":"OPEN","accepted":"\"open\""}]`, "no JSON scalar")
	f(`[{"level":"value","tool":"t","rejected":"[1]","accepted":"1"}]`, "no JSON scalar")
	f(`[{"level":"value","tool":"t","rejected":"1"}]`, "accepted is missing")
	f(`[{"level":"value","tool":"t","rejected":"\"ann@example.org\"","accepted":"\"b\""}]`, "looks like")
	f(`[{"level":"value","colour":"red"}]`, "unknown field")
	f("level,tool\nvalue,t", "no CSV")
	f("level,tool,field,rejected,acceptance\n", "header")
	f("package aliases", "no variable Table")
	f("package aliases\nvar Table = []Entry{{Level: f()}}", "entry 1")
	f("package aliases\nvar Table = []Entry{{\"value\"}}", "entry 1")
	f("package a b", "no Go source")
	f("["+strings.Repeat(`{"level":"tool","tool":"t","rejected":"a","accepted":"b"},`, MaxEntries)+`{"level":"tool","tool":"t","rejected":"a","accepted":"b"}]`, "at most")
}

func FuzzParseTable(f *testing.F) {
	for _, write := range []func(Table) ([]byte, error){Table.JSON, Table.CSV, Table.Go} {
		text, err := write(hostile)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := ParseTable(text)
		if err != nil {
			return
		}
		if _, err := table.Go(); err != nil {
			t.Error(err)
		}
	})
}
