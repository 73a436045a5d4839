package ask

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
)

//go:embed *.sql fragments/*.sql
var files embed.FS

// texts holds every question's SQL, by file name, with the shared fragments embedded. It is read-only.
var texts = mustAssemble(files)

// SQL gives the text of a question as it is sent, by the name that replies carry ("loops.sql").
func SQL(name string) (string, bool) {
	text, ok := texts[name]
	return text, ok
}

// Names lists all questions in order.
func Names() []string {
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func mustAssemble(dir fs.FS) map[string]string {
	assembled, err := assemble(dir)
	if err != nil {
		panic(fmt.Sprintf("BUG: the embedded questions do not assemble: %v", err))
	}
	return assembled
}

// assemble embeds fragments into questions. A fragment is named as its file, without folder and ending. No question has
// any other action of the template language, and none gets data.
func assemble(dir fs.FS) (map[string]string, error) {
	shared := template.New("")
	fragments, err := fs.Glob(dir, "fragments/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list fragments: %w", err)
	}
	for _, file := range fragments {
		if err := parse(shared, dir, file); err != nil {
			return nil, err
		}
	}
	questions, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list questions: %w", err)
	}
	assembled := make(map[string]string, len(questions))
	for _, file := range questions {
		if err := parse(shared, dir, file); err != nil {
			return nil, err
		}
		var text strings.Builder
		if err := shared.ExecuteTemplate(&text, stem(file), nil); err != nil {
			return nil, fmt.Errorf("assemble %s: %w", file, err)
		}
		assembled[file] = text.String()
	}
	return assembled, nil
}

func parse(shared *template.Template, dir fs.FS, file string) error {
	text, err := fs.ReadFile(dir, file)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if _, err := shared.New(stem(file)).Parse(strings.TrimSuffix(string(text), "\n")); err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	return nil
}

func stem(file string) string { return strings.TrimSuffix(path.Base(file), ".sql") }
