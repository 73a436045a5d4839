package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"errata/internal/devstack/broker"
	"errata/internal/devstack/devtest"
	"errata/metrics"
	"errata/pipeline/feed"
	"errata/pipeline/format/dialect"
)

// following is a running "ingest send -follow".
type following struct {
	t         *testing.T
	addr      string
	out, errs log
	stop      func()
}

func startFollowing(t *testing.T, addr string, args ...string) *following {
	t.Helper()
	f := &following{t: t, addr: addr}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"send", "-follow", "-follow-every", "10ms", "-kafka-brokers", addr, "-kafka-topic", topic}, args...)
		ended <- dispatch(ctx, args, world{in: strings.NewReader(""), out: &f.out, err: &f.errs, getenv: func(string) string { return "" }})
	}()
	stopped := false
	f.stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("it ended with %d: %s", code, f.errs.text.String())
		}
	}
	t.Cleanup(f.stop)
	f.await("the topic", func() bool { return f.records() >= 0 })
	return f
}

// records counts what is on the topic.
func (f *following) records() int {
	ends, err := feed.NewAdmin([]string{f.addr}, nil).Ends(f.t.Context(), topic)
	if err != nil {
		return -1
	}
	sum := 0
	for _, end := range ends {
		sum += int(end)
	}
	return sum
}

func (f *following) await(what string, done func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited in vain for %s: %d records, %s", what, f.records(), f.errs.text.String())
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFollow lets a folder grow: new files and folders, lines in two halves, a file that is renamed, one that is cut and
// begun anew, packed ones, one that is damaged, and one that is no transcript.
func TestFollow(t *testing.T) {
	addr, dir := startBroker(t), t.TempDir()
	line := func(run string) string { return envelope(run, `{"role":"user","content":"x"}`) + "\n" }
	path := filepath.Join(dir, "a.jsonl")
	write(t, dir, "a.jsonl", line("a1")+line("a2"))
	f := startFollowing(t, addr, dir)
	f.await("the file that was there", func() bool { return f.records() == 2 })

	half := line("a3")
	appendTo(t, path, half[:20])
	write(t, dir, "new/b.jsonl", line("b1")+line("b2"))
	f.await("a file in a new folder", func() bool { return f.records() == 4 })
	appendTo(t, path, half[20:])
	f.await("the line that came in two halves", func() bool { return f.records() == 5 })

	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.jsonl", line("a4")+line("a5"))
	f.await("the file in the place of a renamed one", func() bool { return f.records() == 7 })
	write(t, dir, "a.jsonl", line("a6")+line("a7"))
	f.await("the file that was begun anew", func() bool { return f.records() == 9 })

	write(t, dir, "packed.gz", gzipped(t, line("c1")+line("c2")))
	write(t, dir, "packed.zst", zstded(t, "["+envelope("d1", "")+","+envelope("d2", "")+"]"))
	write(t, dir, "README.md", "# no transcript")
	write(t, dir, "bad.json", `{"schema":"errata.run/v1","run_id":"x","messages":5}`)
	f.await("packed files", func() bool { return f.records() == 13 })
	f.await("what is said of others", func() bool { return f.errs.lines("skipped ") == 1 && f.errs.lines("not sent: ") == 1 })
	f.stop()

	if !strings.Contains(f.out.text.String(), "13 records") || strings.Count(f.out.text.String(), "\n") != 1 {
		t.Errorf("it says %q at its end, want one line that counts 13 records", f.out.text.String())
	}
	if said := strings.Count(f.errs.text.String(), "\n"); said != 2 {
		t.Errorf("it complains in %d lines, want 2: %s", said, f.errs.text.String())
	}
	runs := map[string]int{}
	for _, message := range consume(t, addr) {
		runs[string(message.Key)]++
	}
	for _, run := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1", "b2", "c1", "c2", "d1", "d2"} {
		if runs[run] != 1 {
			t.Errorf("run %s has %d records, want 1", run, runs[run])
		}
	}
}

// TestFollowCountsOnce: sessions that grow line by line, as they are followed, again after a restart, and sent whole, give the same.
func TestFollowCountsOnce(t *testing.T) {
	for _, name := range []string{"claudecode/testdata/session", "codex/testdata/session", "copilotcli/testdata/events", "pi/testdata/linked", "gatewaylog/testdata/chat"} {
		t.Run(name, func(t *testing.T) {
			addr, dir := startBroker(t), t.TempDir()
			lines := bytes.SplitAfter(sessionOf(t, name), []byte{'\n'})
			path := filepath.Join(dir, "session.jsonl")
			f := startFollowing(t, addr, dir)
			for _, line := range lines {
				appendTo(t, path, string(line))
				time.Sleep(15 * time.Millisecond) // it sees some states in between, or none: all must be well
			}
			whole := tallyOf(t, string(bytes.Join(lines, nil)))
			f.await("all of it", func() bool { return sentTally(t, addr) == whole })
			f.stop()
			before := f.records()
			again := startFollowing(t, addr, dir)
			again.await("the restart", func() bool { return again.records() > before })
			again.stop()
			if got := sentTally(t, addr); got != whole {
				t.Errorf("followed and sent again it gives %s, want %s", got, whole)
			}
		})
	}
}

func sessionOf(t *testing.T, name string) []byte {
	t.Helper()
	archive, err := txtar.ParseFile("../../pipeline/format/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasPrefix(file.Name, "input") {
			return file.Data
		}
	}
	t.Fatalf("%s has no input", name)
	return nil
}

// tallyOf says what a file holds.
func tallyOf(t *testing.T, text string) string {
	t.Helper()
	code, out, errs := run(t, text, "check", "-")
	if code != 0 {
		t.Fatalf("check exits %d: %s%s", code, out, errs)
	}
	first, _, _ := strings.Cut(out, " rejects")
	return strings.Join(strings.Fields(first)[1:], " ")
}

// sentTally says what the records on the topic hold.
func sentTally(t *testing.T, addr string) string {
	t.Helper()
	var all dialect.Output
	for _, message := range consume(t, addr) {
		all.Fragments = append(all.Fragments, decodeMessage(t, message).Fragments...)
	}
	found, rejects := mineAll(t.Context(), all, metrics.Env{Rules: metrics.DefaultRules()})
	found.rejects = len(rejects)
	return strings.Join(strings.Fields(strings.TrimSuffix(found.text(), " rejects")), " ")
}

func TestFollowUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, errs := run(t, "", append([]string{"send", "-follow"}, args...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%q exits %d and says %q, want 2 and %q", args, code, errs, want)
		}
	}
	f("-follow", "-")
	f("-follow-every", "-follow-every", "0s", t.TempDir())
	f("no such file", filepath.Join(t.TempDir(), "missing"))
}

// TestFollowOutlastsKafka: what Kafka does not take while it is down is sent once it is back.
func TestFollowOutlastsKafka(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a broker is waited for")
	}
	options := broker.Options{Addr: devtest.FreeAddr(t), Dir: t.TempDir(), Partitions: 3, Log: slog.New(slog.DiscardHandler)}
	first, err := broker.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := startFollowing(t, options.Addr, dir)
	first.Close()
	write(t, dir, "a.jsonl", envelope("a", "")+"\n"+envelope("b", "")+"\n")
	f.await("a complaint", func() bool { return f.errs.lines("Kafka takes nothing") == 1 })
	second, err := broker.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Close)
	f.await("the records", func() bool { return f.records() == 2 })
	f.stop()
}
