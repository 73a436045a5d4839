package format_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

var update = flag.Bool("update", false, "write what is found into the case files, to be checked by eye")

// TestCases reads every case that stands beside a dialect and compares what becomes of it with what the case says.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := readCase(t, path)
			out, _, err := format.Decode(c.input, format.DefaultLimits())
			got, rejects := renderOutput(out), renderRejects(out, err)
			if *update {
				rewrite(t, path, got, rejects)
				return
			}
			if got != c.want {
				t.Errorf("it is read as\n%s\nwant\n%s", got, c.want)
			}
			if rejects != c.rejects {
				t.Errorf("it has the rejects\n%s\nwant\n%s", rejects, c.rejects)
			}
		})
	}
}

func rewrite(t *testing.T, path, want, rejects string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" || f.Name == "rejects" })
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(want)})
	if rejects != "" {
		archive.Files = append(archive.Files, txtar.File{Name: "rejects", Data: []byte(rejects)})
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func renderRejects(out dialect.Output, err error) string {
	var text strings.Builder
	if err != nil {
		var reject dialect.Reject
		if !errors.As(err, &reject) {
			return "no reject: " + err.Error()
		}
		fmt.Fprintln(&text, "all: "+err.Error())
	}
	for _, reject := range out.Rejects {
		fmt.Fprintln(&text, reject.Error())
	}
	return text.String()
}

func renderOutput(out dialect.Output) string {
	var text strings.Builder
	for _, fragment := range out.Fragments {
		renderMeta(&text, &fragment)
		for i, message := range fragment.Messages {
			renderMessage(&text, i, &message)
		}
	}
	return text.String()
}

func renderMeta(text *strings.Builder, f *transcript.Fragment) {
	fmt.Fprintf(text, "run %s", f.Meta.ID)
	pairs := func(list ...string) {
		for i := 0; i < len(list); i += 2 {
			if list[i+1] != "" {
				fmt.Fprintf(text, " %s=%s", list[i], list[i+1])
			}
		}
	}
	success := ""
	if f.Meta.TaskSuccess != nil {
		success = strconv.FormatBool(*f.Meta.TaskSuccess)
	}
	pairs("format", f.Meta.Format, "agent", f.Meta.Agent, "version", f.Meta.AgentVersion, "provider", f.Meta.Provider,
		"model", f.Meta.Model, "variant", string(f.Meta.Variant), "end", string(f.Meta.EndReason), "success", success)
	for _, name := range slices.Sorted(maps.Keys(f.Meta.Attributes)) {
		fmt.Fprintf(text, " %s:%s", name, f.Meta.Attributes[name])
	}
	if f.Meta.Ended {
		text.WriteString(" ended")
	}
	fmt.Fprintf(text, "\nthread %q", f.Thread)
	pairs("parent_call", f.ParentCall)
	switch {
	case f.Snapshot:
		text.WriteString(" snapshot")
	case f.First == transcript.Unplaced:
		text.WriteString(" unplaced")
	default:
		fmt.Fprintf(text, " from %d", f.First)
	}
	if f.Ended {
		text.WriteString(" ended")
	}
	text.WriteByte('\n')
	for _, s := range f.Meta.Shadow {
		fmt.Fprintf(text, "shadow %s %s %s\n", s.CallID, s.Variant, s.Payload)
	}
}

func renderMessage(text *strings.Builder, index int, m *transcript.Message) {
	fmt.Fprintf(text, "%d %s", index, m.Role)
	show := func(name, value string) {
		if value != "" {
			fmt.Fprintf(text, " %s=%s", name, value)
		}
	}
	show("id", m.ID)
	show("generation", m.Generation)
	show("parent", m.Parent)
	if m.Seq != 0 {
		show("seq", strconv.FormatInt(m.Seq, 10))
	}
	show("time", timeText(m.Time))
	show("model", m.Model)
	if u := m.Usage; u != nil {
		fmt.Fprintf(text, " usage=%d+%d+%d+%d", u.Input, u.CacheRead, u.CacheWrite, u.Output)
	}
	text.WriteByte('\n')
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(text, "  %s %s\n", name, strconv.Quote(value))
		}
	}
	line("text", m.Text)
	line("reasoning", m.Reasoning)
	for _, c := range m.Calls {
		fmt.Fprintf(text, "  call %s %s %s", orDash(c.ID), c.Tool, c.Arguments)
		show("by", string(c.Actor))
		if c.Unknown {
			text.WriteString(" unknown")
		}
		show("time", timeText(c.Time))
		text.WriteByte('\n')
	}
	for _, r := range m.Results {
		fmt.Fprintf(text, "  result %s", orDash(r.CallID))
		show("tool", string(r.Tool))
		show("flag", string(r.Flag))
		show("fate", string(r.Fate))
		if r.ExitCode != nil {
			show("exit", strconv.Itoa(*r.ExitCode))
		}
		show("error_type", r.ErrorType)
		show("variant", string(r.Variant))
		show("by", string(r.Actor))
		show("time", timeText(r.Time))
		fmt.Fprintf(text, " %s\n", strconv.Quote(r.Body))
	}
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
