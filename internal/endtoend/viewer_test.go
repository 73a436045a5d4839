package endtoend_test

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/andybalholm/cascadia"
	"golang.org/x/tools/txtar"

	"errata/pipeline/feed"
)

// A transcript of each dialect goes the whole way and shows in the run viewer, each call beside its own result. The
// transcripts are the case files of the dialects, whose section "want" says which call each result belongs to.
func TestEveryDialectShowsInTheRunViewer(t *testing.T) {
	paths, err := filepath.Glob("../../pipeline/format/*/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d case files, %v", len(paths), err)
	}
	checked, dialects := map[string]int{}, map[string]bool{}
	for _, together := range apart(t, paths) {
		var records []feed.Record
		for i, c := range together {
			records = append(records, feed.Record{Value: c.value, Headers: c.headers, Time: time.Date(2026, 11, 1, 0, 0, i, 0, time.UTC)})
		}
		s := pages(t, handled(t, records, keptRejects{}))
		for _, c := range together {
			dialects[c.dialect] = true
			for run, calls := range c.runs {
				checked[c.dialect] += s.paired(c.path, run, calls)
			}
		}
	}
	for dialect := range dialects {
		if checked[dialect] == 0 {
			t.Errorf("no call of %s was looked for", dialect)
		}
	}
	t.Logf("calls by dialect: %v", checked)
}

// paired looks for calls with their results on the page of a run.
func (s site) paired(path, run string, calls []call) int {
	s.t.Helper()
	if len(calls) == 0 {
		return 0
	}
	p := s.page("/runs/" + url.PathEscape(run))
	var shown []call
	for _, n := range cascadia.QueryAll(p.root, cascadia.MustCompile("article.call")) {
		var sides []string
		for _, side := range cascadia.QueryAll(n, cascadia.MustCompile(".sides > div")) {
			sides = append(sides, squeezed(textOf(side)))
		}
		if len(sides) == 2 {
			shown = append(shown, call{textOf(cascadia.Query(n, cascadia.MustCompile("header strong"))), sides[0], sides[1:]})
		}
	}
	// Each call on the page is one of them: those that say most are looked for first, and what was found is not found again.
	slices.SortStableFunc(calls, func(x, y call) int { return y.says() - x.says() })
	for _, want := range calls {
		at := slices.IndexFunc(shown, want.is)
		if at < 0 {
			s.t.Errorf("%s: run %s shows no call %+v beside those found; it shows %+v", path, run, want, shown)
			continue
		}
		shown = slices.Delete(shown, at, at+1)
	}
	if len(shown) > 0 {
		s.t.Errorf("%s: run %s shows calls that it has not: %+v", path, run, shown)
	}
	return len(calls)
}

// squeezed leaves out white space, which a page may add between the members of an object.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// call is a call with its results, of all the beginning without white space. A log may tell a result twice in different words.
type call struct {
	tool, arguments string
	results         []string
}

func (c call) says() int { return len(c.arguments) + len(strings.Join(c.results, "")) }

// is says whether a call on a page is this one, with one of its results beside it.
func (c call) is(shown call) bool {
	told := len(c.results) == 0 || slices.ContainsFunc(c.results, func(r string) bool { return strings.Contains(shown.results[0], r) })
	return squeezed(shown.tool) == squeezed(c.tool) && strings.Contains(shown.arguments, c.arguments) && told
}

// caseFile is a transcript of a dialect, with the calls of its runs.
type caseFile struct {
	path, dialect string
	value         []byte
	headers       map[string]string
	runs          map[string][]call
}

// apart parts case files so that no two of a part hold the same run.
func apart(t *testing.T, paths []string) [][]caseFile {
	t.Helper()
	var parts [][]caseFile
	var taken []map[string]bool
	for _, path := range paths {
		c := readCase(t, path)
		at := slices.IndexFunc(taken, func(runs map[string]bool) bool {
			for run := range c.runs {
				if runs[run] {
					return false
				}
			}
			return true
		})
		if at < 0 {
			at = len(parts)
			parts, taken = append(parts, nil), append(taken, map[string]bool{})
		}
		parts[at] = append(parts[at], c)
		for run := range c.runs {
			taken[at][run] = true
		}
	}
	return parts
}

func readCase(t *testing.T, path string) caseFile {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := caseFile{path: path, dialect: filepath.Base(filepath.Dir(filepath.Dir(path))), headers: map[string]string{}}
	for _, file := range archive.Files {
		text := string(file.Data)
		switch {
		case file.Name == "headers":
			for line := range strings.Lines(text) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
					c.headers[name] = value
				}
			}
		case file.Name == "want":
			c.runs = wanted(t, text)
		case strings.HasSuffix(file.Name, "base64"):
			if c.value, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(file.Name, "input"):
			c.value = file.Data
		}
	}
	return c
}

// listed is a call as a case file lists it.
type listed struct {
	call
	id     string
	part   int  // of the case, one for each time that the run begins
	others bool // a person made it, so that it is no call of the agent
}

// after are what may follow the arguments of a call.
var after = regexp.MustCompile(`( by=\S+)?( unknown)?( time=\S+)?$`)

// wanted reads which calls a run has, with their results. A call that is told again under its name is one, and results
// belong to the first call of their name that has none.
func wanted(t *testing.T, text string) map[string][]call {
	t.Helper()
	runs := map[string][]listed{}
	run, part := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "run "); ok {
			run, _, _ = strings.Cut(rest, " ")
			runs[run] = slices.Clip(runs[run]) // known, with calls or without
			part++
		}
		if rest, ok := strings.CutPrefix(line, "  call "); ok {
			id, rest, _ := strings.Cut(rest, " ")
			tool, arguments, _ := strings.Cut(rest, " ")
			end := after.FindStringIndex(" " + arguments)[0]
			runs[run] = withCall(runs[run], listed{
				call: call{tool: tool, arguments: beginning((" " + arguments)[:end])}, id: id, part: part, others: strings.Contains((" " + arguments)[end:], " by="),
			})
		}
		if rest, ok := strings.CutPrefix(line, "  result "); ok {
			id, rest, _ := strings.Cut(rest, " ")
			body, err := strconv.Unquote(rest[strings.IndexByte(rest, '"'):])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			answered(runs[run], id, beginning(body))
		}
	}
	calls := map[string][]call{}
	for run, of := range runs {
		calls[run] = []call{}
		for _, c := range of {
			if !c.others {
				calls[run] = append(calls[run], c.call)
			}
		}
	}
	return calls
}

// withCall adds a call that is not known yet. One without a name is known where an earlier part told it and its result is
// still to come: a request repeats what was said before it.
func withCall(calls []listed, c listed) []listed {
	for i, known := range calls {
		same := known.id == c.id && known.tool == c.tool && (known.arguments == c.arguments || known.arguments == "" || c.arguments == "")
		if same && (c.id != "-" || known.part < c.part && len(known.results) == 0) {
			calls[i].arguments = max(known.arguments, c.arguments)
			return calls
		}
	}
	return append(calls, c)
}

func answered(calls []listed, id, result string) {
	last := -1
	for i := range calls {
		if calls[i].id != id {
			continue
		}
		if last = i; len(calls[i].results) == 0 {
			break
		}
	}
	if last >= 0 {
		calls[last].results = append(calls[last].results, result)
	}
}

// beginning is the beginning of a text without white space, up to what a page may write in another way.
func beginning(text string) string {
	text = squeezed(text)
	if at := strings.IndexFunc(text, func(r rune) bool { return r == '\\' || r > unicode.MaxASCII || !unicode.IsPrint(r) }); at >= 0 {
		text = text[:at]
	}
	return text[:min(len(text), 60)]
}
