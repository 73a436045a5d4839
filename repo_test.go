// Package errata_test tests the repository itself: what a reader of the tree may rely on.
package errata_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goFiles gives the parsed Go files of the repository by folder, tests and generated ones left out.
func goFiles(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	dirs := map[string]map[string]*ast.File{}
	set := token.NewFileSet()
	walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		if dirs[dir] == nil {
			dirs[dir] = map[string]*ast.File{}
		}
		dirs[dir][path] = file
	})
	return dirs
}

// walk visits every file that could be committed.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch path {
			case ".git", ".errata", ".engine", "bin", "node_modules", "web/static/vendor":
				return filepath.SkipDir
			}
			return nil
		}
		visit(path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for dir, files := range goFiles(t) {
		documented := false
		for _, file := range files {
			documented = documented || file.Doc != nil
		}
		if !documented {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}

// forbidden says which imports would turn the tree around or put the world into the pure core, and why not.
var forbidden = []struct {
	dirs    string // packages at or below one of these, space-separated
	imports string // regular expression
	why     string
}{
	{"transcript", `^errata/`, "transcript is a leaf: the words that all else speaks"},
	{"metrics", `^errata/(pipeline|web|cmd|internal)`, "imports point from cmd over web and pipeline to metrics to transcript"},
	{"web", `^errata/(pipeline|cmd)`, "web and pipeline do not know each other"},
	{"pipeline", `^errata/(web|cmd)`, "web and pipeline do not know each other"},
	{"pipeline", `^errata/metrics/(ask|review)`, "asking is the reading side's"},
	{"pipeline/feed", `^errata/`, "the feed moves bytes and knows nothing of what is in them"},
	{"pipeline/format pipeline/assemble", `^errata/(metrics|pipeline/(feed|store))`, "decoding and assembling come before meaning and know no edge"},
	{"transcript pipeline/format pipeline/assemble metrics/stats", `kafka|clickhouse|net/http|log/slog|^log$|^os$`, "the core is pure: values in, values out"},
	{"internal/simulate", `^errata/(pipeline|metrics|web|cmd)`, "the simulator's truth must not come from the code that it checks"},
	{"cmd/ingest cmd/dashboard pipeline web metrics", `^errata/internal/devstack`, "programs talk to the engines as to servers"},
}

func TestImportsPointOneWay(t *testing.T) {
	for dir, files := range goFiles(t) {
		for _, rule := range forbidden {
			if !within(dir, rule.dirs) {
				continue
			}
			bad := regexp.MustCompile(rule.imports)
			for path, file := range files {
				for _, spec := range file.Imports {
					if name := strings.Trim(spec.Path.Value, `"`); bad.MatchString(name) {
						t.Errorf("%s imports %s: %s", path, name, rule.why)
					}
				}
			}
		}
	}
}

// The metrics are pure but for their reading side.
func TestMetricsArePure(t *testing.T) {
	bad := regexp.MustCompile(`kafka|clickhouse|net/http|log/slog|^log$|^os$`)
	for path, file := range goFiles(t)["metrics"] {
		for _, spec := range file.Imports {
			if name := strings.Trim(spec.Path.Value, `"`); bad.MatchString(name) {
				t.Errorf("%s imports %s: the core is pure", path, name)
			}
		}
	}
}

func within(dir, tops string) bool {
	for top := range strings.FieldsSeq(tops) {
		if dir == top || strings.HasPrefix(dir, top+"/") {
			return true
		}
	}
	return false
}

func TestFilesStaySmall(t *testing.T) {
	walk(t, func(path string) {
		switch filepath.Ext(path) {
		case ".go", ".templ", ".sql", ".js", ".css":
		default:
			return
		}
		if strings.HasSuffix(path, "_templ.go") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines > 400 {
			t.Errorf("%s has %d lines; is it one thing?", path, lines)
		}
	})
}

// remoteAsset is a page asking another host for something: a script, a style, an image, a font.
var remoteAsset = regexp.MustCompile(`(?i)(src|href)="(https?:)?//[^"]*\.(js|css|woff2?|png|svg)|@import|url\(["']?(https?:)?//`)

func TestPagesLoadNothingFromAnotherHost(t *testing.T) {
	walk(t, func(path string) {
		if !strings.HasPrefix(path, "web/") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".md") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := remoteAsset.Find(text); found != nil {
			t.Errorf("%s loads from another host: %s", path, found)
		}
	})
}
