package chhttp

import "testing"

func TestParse(t *testing.T) {
	cases := []struct {
		name, in string
		want     statement
	}{
		{"select", "SELECT 1", statement{text: "SELECT 1", verb: "SELECT"}},
		{"format clause", "SELECT 1 FORMAT JSON", statement{text: "SELECT 1 FORMAT JSON", verb: "SELECT", format: "JSON"}},
		{"format before settings", "SELECT 1 FORMAT CSV SETTINGS max_threads=1", statement{text: "SELECT 1 FORMAT CSV SETTINGS max_threads=1", verb: "SELECT", format: "CSV"}},
		{"format after settings", "select 1 settings max_threads = 1 format CSV;", statement{text: "select 1 settings max_threads = 1 format CSV;", verb: "SELECT", format: "CSV"}},
		{"column called format", "SELECT format FROM t", statement{text: "SELECT format FROM t", verb: "SELECT"}},
		{"format in a string and a comment", "SELECT 'FORMAT CSV' -- FORMAT TSV", statement{text: "SELECT 'FORMAT CSV' -- FORMAT TSV", verb: "SELECT"}},
		{"format of a subquery", "SELECT (SELECT 1 FORMAT CSV)", statement{text: "SELECT (SELECT 1 FORMAT CSV)", verb: "SELECT"}},
		{"escaped quote", `SELECT 'it\'s; FORMAT CSV'`, statement{text: `SELECT 'it\'s; FORMAT CSV'`, verb: "SELECT"}},
		{"doubled quote", `SELECT 'it''s; FORMAT CSV'`, statement{text: `SELECT 'it''s; FORMAT CSV'`, verb: "SELECT"}},
		{"two statements", "SELECT 1; SELECT 2", statement{text: "SELECT 1; SELECT 2", verb: "SELECT", many: true}},
		{"final semicolon and comment", "SELECT 1; -- end", statement{text: "SELECT 1; -- end", verb: "SELECT"}},
		{"parenthesis", "(SELECT 1)", statement{text: "(SELECT 1)", verb: "("}},
		{"comment first", "/* x */ -- y\nDROP TABLE t", statement{text: "/* x */ -- y\nDROP TABLE t", verb: "DROP"}},
		{"empty", " -- nothing", statement{text: " -- nothing"}},
		{"insert native", "INSERT INTO t (a, `format`) FORMAT Native", statement{text: "INSERT INTO t (a, `format`) ", verb: "INSERT", inserts: true, insertFormat: "Native"}},
		{"insert with rows behind", "INSERT INTO t FORMAT CSV\n1;2\n", statement{text: "INSERT INTO t ", verb: "INSERT", inserts: true, insertFormat: "CSV", inline: "1;2\n"}},
		{"insert with settings", "INSERT INTO t SETTINGS async_insert=1 FORMAT JSONEachRow {\"a\":1}", statement{text: "INSERT INTO t SETTINGS async_insert=1 ", verb: "INSERT", inserts: true, insertFormat: "JSONEachRow", inline: "{\"a\":1}"}},
		{"insert values", "INSERT INTO t VALUES (1, 'x')", statement{text: "INSERT INTO t ", verb: "INSERT", inserts: true, insertFormat: "Values", inline: "(1, 'x')"}},
		{"insert format values", "INSERT INTO t FORMAT Values (1)", statement{text: "INSERT INTO t ", verb: "INSERT", inserts: true, insertFormat: "Values", inline: "(1)"}},
		{"insert select", "INSERT INTO t SELECT 1 AS values", statement{text: "INSERT INTO t SELECT 1 AS values", verb: "INSERT"}},
		{"insert with", "INSERT INTO t WITH 1 AS x SELECT x", statement{text: "INSERT INTO t WITH 1 AS x SELECT x", verb: "INSERT"}},
		{"outfile", "SELECT 1 INTO OUTFILE 'x' FORMAT CSV", statement{text: "SELECT 1 INTO OUTFILE 'x' FORMAT CSV", verb: "SELECT", format: "CSV", outfile: true}},
		{"unclosed string", "SELECT 'x", statement{text: "SELECT 'x", verb: "SELECT"}},
		{"backslash at the end", `SELECT '\`, statement{text: `SELECT '\`, verb: "SELECT"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := parse(c.in); got != c.want {
				t.Errorf("parse(%q)\n got %+v\nwant %+v", c.in, got, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("INSERT INTO t FORMAT CSV\n1")
	f.Add("SELECT '\\")
	f.Add("/*")
	f.Fuzz(func(t *testing.T, text string) {
		st := parse(text)
		if len(st.text)+len(st.inline) > len(text) {
			t.Errorf("parse(%q) made text: %+v", text, st)
		}
	})
}
