package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"errata/pipeline/format/dialect"
)

// sourceTable gathers what was found by source: the folder below the one that was named, or that of a file itself.
type sourceTable struct {
	roots   []string
	sources map[string]*sourceSum
}

// sourceSum is what the files of one source hold.
type sourceSum struct {
	tally
	byRule   map[string]int         // errors by the rule that made them some
	byReason map[dialect.Reason]int // rejects by their reason
}

func newSourceTable(args []string) *sourceTable {
	t := &sourceTable{sources: map[string]*sourceSum{}}
	for _, arg := range args {
		t.roots = append(t.roots, filepath.Clean(arg))
	}
	return t
}

// of gives the sum of the source that a path belongs to.
func (t *sourceTable) of(path string) *sourceSum {
	name := filepath.Base(filepath.Dir(path))
	for _, root := range t.roots {
		if inner, ok := strings.CutPrefix(path, root+string(filepath.Separator)); ok {
			if first, _, deeper := strings.Cut(inner, string(filepath.Separator)); deeper {
				name = first
			}
			break
		}
	}
	if t.sources[name] == nil {
		t.sources[name] = &sourceSum{byRule: map[string]int{}, byReason: map[dialect.Reason]int{}}
	}
	return t.sources[name]
}

// text is the table, "" where there is but one file.
func (t *sourceTable) text() string {
	files := 0
	for _, sum := range t.sources {
		files += sum.files + sum.skipped
	}
	if files < 2 {
		return ""
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nsource\tfiles\tskipped\truns\tcalls\terrors\trejects\terrors by rule; rejects by reason")
	for _, name := range slices.Sorted(maps.Keys(t.sources)) {
		s := t.sources[name]
		notes := []string{counts(s.byRule), counts(s.byReason)}
		notes = slices.DeleteFunc(notes, func(note string) bool { return note == "" })
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", name, s.files, s.skipped, s.runs, s.calls, s.errored, s.rejects, strings.Join(notes, "; "))
	}
	w.Flush() // writes into memory, which does not fail
	return out.String() + "\n"
}

// counts writes names with their numbers, the most frequent first.
func counts[N ~string](by map[N]int) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b N) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %d", name, by[name]))
	}
	return strings.Join(parts, ", ")
}
