package format_test

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// fixture is one input that the conformance test feeds to its dialect.
type fixture struct {
	name    string
	input   dialect.Input
	damaged bool // rejects are expected
}

// ownFixtures reads the cases that stand beside the dialects.
func ownFixtures(t testing.TB) []fixture {
	paths, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no fixtures: %v", err)
	}
	var fixtures []fixture
	for _, path := range paths {
		c := readCase(t, path)
		if c.input.Value == nil {
			continue
		}
		fixtures = append(fixtures, fixture{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), input: c.input, damaged: c.damaged()})
	}
	return fixtures
}

// corpusFixtures reads the public transcripts that a dialect claims. Others are none of its business.
func corpusFixtures(t testing.TB) []fixture {
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Log("ERRATA_CORPUS is not set: only the fixtures written here are read")
		return nil
	}
	var fixtures []fixture
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		value, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		input := dialect.Input{Value: value}
		if _, err := format.Detect(input); err == nil {
			fixtures = append(fixtures, fixture{name: filepath.Base(path), input: input, damaged: true})
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk the corpus: %v", err)
	}
	return fixtures
}

// caseFile is one text file: an input, its headers, and what becomes of it.
type caseFile struct {
	input   dialect.Input
	want    string
	rejects string
}

func (c caseFile) damaged() bool { return c.rejects != "" }

func readCase(t testing.TB, path string) caseFile {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatalf("read case: %v", err)
	}
	c := caseFile{input: dialect.Input{Headers: map[string]string{}}}
	for _, file := range archive.Files {
		switch file.Name {
		case "input.json", "input.jsonl", "input.yaml":
			c.input.Value = file.Data
		case "input.base64":
			value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(file.Data)))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			c.input.Value = value
		case "headers":
			for line := range strings.Lines(string(file.Data)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				c.input.Headers[name] = value
			}
		case "want":
			c.want = string(file.Data)
		case "rejects":
			c.rejects = string(file.Data)
		default:
			t.Fatalf("%s: there is no section %q", path, file.Name)
		}
	}
	return c
}
