package assemble

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"errata/transcript"
)

// TestCases merges the records of every case in testdata, in many orders, and compares the run with the expected one.
//
// The file "records" holds one record after the other. A record begins with "snapshot", "from N" or "lines", maybe
// with a thread, and has one message a line: role, then #id ^parent ~generation @seconds $output-tokens, then a colon
// and its parts between bars: text, "call ID TOOL ARGUMENTS", "result ID [FLAG] BODY". The file "run" holds the run:
// per thread its messages and turns. The comment of the archive says what the case shows.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all []Arrival
			want, ordered := "", false
			for _, f := range archive.Files {
				switch f.Name {
				case "records", "records in order":
					all, ordered = readRecords(t, string(f.Data)), f.Name != "records"
				case "run":
					want = string(f.Data)
				default:
					t.Fatalf("unknown file %q", f.Name)
				}
			}
			r := rand.New(rand.NewPCG(1, 2))
			for n := range 40 {
				out := deliver(t, r, all, n > 0)
				if got := show(&out.run); got != want {
					t.Fatalf("order %d:\n%s\nwant:\n%s", n, got, want)
				}
				if !ordered {
					all = disorder(r, all)
				}
			}
		})
	}
}

func readRecords(t *testing.T, text string) []Arrival {
	t.Helper()
	var out []Arrival
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "  ") {
			words := strings.Fields(line)
			f := transcript.Fragment{Meta: transcript.Meta{ID: "r"}}
			switch words[0] {
			case "snapshot":
				f.Snapshot = true
			case "from":
				f.First, _ = strconv.Atoi(words[1])
				words = words[1:]
			case "lines":
				f.First = transcript.Unplaced
			default:
				t.Fatalf("unknown record %q", line)
			}
			if len(words) > 1 {
				f.Thread = transcript.ThreadID(words[1])
			}
			out = append(out, Arrival{Time: begin.Add(time.Duration(len(out)) * time.Minute), Fragments: []transcript.Fragment{f}})
			continue
		}
		f := &out[len(out)-1].Fragments[0]
		f.Messages = append(f.Messages, readMessage(t, strings.TrimSpace(line)))
	}
	return out
}

func readMessage(t *testing.T, line string) transcript.Message {
	t.Helper()
	head, body, ok := strings.Cut(line, ":")
	if !ok {
		t.Fatalf("no colon in %q", line)
	}
	words := strings.Fields(head)
	m := transcript.Message{Role: transcript.Role(words[0])}
	for _, w := range words[1:] {
		n, _ := strconv.Atoi(w[1:])
		switch w[0] {
		case '#':
			m.ID = w[1:]
		case '^':
			m.Parent = w[1:]
		case '~':
			m.Generation = w[1:]
		case '@':
			m.Time = begin.Add(time.Duration(n) * time.Second)
		case '$':
			m.Usage = &transcript.Usage{Output: int64(n)}
		default:
			t.Fatalf("unknown mark %q in %q", w, line)
		}
	}
	for part := range strings.SplitSeq(body, "|") {
		part = strings.TrimSpace(part)
		words := strings.SplitN(part, " ", 4)
		switch words[0] {
		case "call":
			m.Calls = append(m.Calls, transcript.Call{ID: strings.Trim(words[1], "-"), Tool: transcript.Tool(words[2]), Arguments: words[3]})
		case "result":
			m.Results = append(m.Results, readResult(part))
		default:
			m.Text = part
		}
	}
	return m
}

func readResult(part string) transcript.Result {
	words := strings.SplitN(part, " ", 3)
	r := transcript.Result{CallID: strings.Trim(words[1], "-")}
	rest := ""
	if len(words) > 2 {
		rest = words[2]
	}
	if name, ok := strings.CutPrefix(r.CallID, "of="); ok {
		r.CallID, r.Tool = "", transcript.Tool(name)
	}
	for mark, set := range map[string]func(){
		"!error ":   func() { r.Flag = transcript.FlagError },
		"!refused ": func() { r.Fate = transcript.FateRefused },
	} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			rest = after
			set()
		}
	}
	r.Body = rest
	return r
}

// show writes a run as the cases do.
func show(run *transcript.Run) string {
	var b strings.Builder
	for i := range run.Threads {
		t := &run.Threads[i]
		fmt.Fprintf(&b, "thread %q\n", t.ID)
		for _, m := range t.Messages {
			fmt.Fprintf(&b, "  %s\n", showMessage(&m))
		}
		for _, turn := range t.Turns {
			showTurn(&b, &turn)
		}
		for _, r := range t.Orphans {
			fmt.Fprintf(&b, "  orphan %s %s\n", r.CallID, r.Body)
		}
	}
	return b.String()
}

func showMessage(m *transcript.Message) string {
	parts := []string{}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, "call "+c.ID)
	}
	for _, r := range m.Results {
		parts = append(parts, "result "+r.CallID)
	}
	return fmt.Sprintf("%s: %s", m.Role, strings.Join(parts, " | "))
}

func showTurn(b *strings.Builder, turn *transcript.Turn) {
	fmt.Fprintf(b, "  turn %d", turn.Number)
	if turn.Follows != turn.Number-1 {
		fmt.Fprintf(b, " follows %d", turn.Follows)
	}
	if turn.Usage != nil {
		fmt.Fprintf(b, " $%d", turn.Usage.Output)
	}
	marks := []string{}
	if turn.UserBefore {
		marks = append(marks, "user before")
	}
	if turn.UserAfter {
		marks = append(marks, "user after")
	}
	if len(marks) > 0 {
		fmt.Fprintf(b, ", %s", strings.Join(marks, ", "))
	}
	b.WriteString("\n")
	for _, c := range turn.Calls {
		fmt.Fprintf(b, "    %s %s %s", c.ID, c.Tool, c.Arguments)
		if c.Result != nil {
			fmt.Fprintf(b, " -> %s", c.Result.Body)
			if c.Result.Flag == transcript.FlagError {
				b.WriteString(" !error")
			}
			if c.Result.Fate != "" {
				fmt.Fprintf(b, " !%s", c.Result.Fate)
			}
		}
		b.WriteString("\n")
	}
}
