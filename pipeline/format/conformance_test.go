package format_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/assemble"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// TestConformance holds every dialect of the table to the same promises. A new dialect joins by its place in the table
// and its fixtures in testdata; nothing here changes.
func TestConformance(t *testing.T) {
	byDialect := map[string][]fixture{}
	for _, f := range append(ownFixtures(t), corpusFixtures(t)...) {
		d, err := format.Detect(f.input)
		if err != nil {
			t.Errorf("%s: no dialect claims it: %v", f.name, err)
			continue
		}
		byDialect[d.Name] = append(byDialect[d.Name], f)
	}
	for _, d := range format.Dialects() {
		t.Run(d.Name, func(t *testing.T) { conform(t, d, byDialect[d.Name]) })
	}
}

// conform is the promise of one dialect.
func conform(t *testing.T, d *dialect.Dialect, fixtures []fixture) {
	if len(fixtures) == 0 {
		t.Fatal("it has no fixtures; put some into its testdata")
	}
	for _, field := range []string{d.Name, d.Title, d.Source} {
		if field == "" {
			t.Errorf("its name, title or source is empty: %+v", d)
		}
	}
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			detectedByOne(t, f)
			decodesAlike(t, d, f)
			keepsKeyOrderOut(t, d, f)
			sameRunTwice(t, f)
			sameRunInParts(t, d, f)
			survivesCuts(t, f)
		})
	}
	t.Run("bad input", func(t *testing.T) { refusesBadInput(t, d) })
}

// detectedByOne: no two dialects claim one input, and its name forces the dialect that claims it.
func detectedByOne(t *testing.T, f fixture) {
	shape, err := record.ShapeOf(f.input.Value)
	if err != nil && !f.damaged && shape.Begin == nil {
		t.Fatalf("its shape cannot be read: %v", err)
	}
	var claims []string
	for _, d := range format.Dialects() {
		if d.Detect(shape) {
			claims = append(claims, d.Name)
		}
	}
	if len(claims) != 1 {
		t.Fatalf("dialects %q claim it, want one", claims)
	}
}

// decodesAlike: the same input gives the same output, whole, and every message has a role and every call a tool.
func decodesAlike(t *testing.T, d *dialect.Dialect, f fixture) {
	first, found, err := format.Decode(f.input, format.Limits{})
	if err != nil || found != d {
		t.Fatalf("decode gives %v as %v", err, found)
	}
	if !f.damaged && len(first.Rejects) > 0 {
		t.Errorf("it has rejects: %v", first.Rejects[0])
	}
	forced := f.input
	forced.Headers = map[string]string{dialect.HeaderFormat: d.Name}
	for name, value := range f.input.Headers {
		forced.Headers[name] = value
	}
	second, _, err := format.Decode(forced, format.Limits{})
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("decoding it again, its format forced, gives something else (%v)", err)
	}
	for _, fragment := range first.Fragments {
		if fragment.Meta.ID == "" || fragment.Meta.Format == "" {
			t.Errorf("a fragment has no run or format: %+v", fragment.Meta)
		}
		for i, message := range fragment.Messages {
			checkMessage(t, i, &message)
		}
	}
}

func checkMessage(t *testing.T, index int, message *transcript.Message) {
	roles := []transcript.Role{transcript.RoleSystem, transcript.RoleUser, transcript.RoleAssistant, transcript.RoleTool, transcript.RoleHarness}
	if !slices.Contains(roles, message.Role) {
		t.Errorf("message %d has the role %q", index, message.Role)
	}
	if message.Role != transcript.RoleAssistant && message.Usage != nil {
		t.Errorf("message %d of role %s has usage", index, message.Role)
	}
	for _, call := range message.Calls {
		if call.Tool == "" {
			t.Errorf("message %d has a call without a tool", index)
		}
	}
}

// keepsKeyOrderOut: neither detection nor decoding depends on the order of keys.
func keepsKeyOrderOut(t *testing.T, d *dialect.Dialect, f fixture) {
	shape, err := record.ShapeOf(f.input.Value)
	if err != nil || shape.Container != dialect.One {
		return
	}
	members := slices.Clone(shape.First())
	slices.Reverse(members)
	var reversed bytes.Buffer
	for i, member := range members {
		name, _ := jsontext.AppendQuote(nil, member.Name)
		fmt.Fprintf(&reversed, "%c%s:%s", ",{"[boolInt(i == 0)], name, member.Value)
	}
	reversed.WriteByte('}')
	input := f.input
	input.Value = reversed.Bytes()
	out, found, err := format.Decode(input, format.Limits{})
	want, _, _ := format.Decode(f.input, format.Limits{})
	if err != nil || found != d || !reflect.DeepEqual(out.Fragments, want.Fragments) {
		t.Errorf("with its keys the other way round it gives something else: %v", err)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameRunTwice: each call is there once, in order, and each generation's usage once, however often the input comes.
func sameRunTwice(t *testing.T, f fixture) {
	out, _, _ := format.Decode(f.input, format.Limits{})
	once := assembled(t, out)
	twice := assembled(t, out, out)
	if !reflect.DeepEqual(once, twice) {
		t.Errorf("sent twice it gives other runs")
	}
	for _, run := range once {
		for _, thread := range run.Threads {
			if len(thread.Orphans) > 0 && !f.damaged {
				t.Errorf("run %s, thread %q: %d results have no call, the first of call %q", run.Meta.ID, thread.ID, len(thread.Orphans), thread.Orphans[0].CallID)
			}
		}
	}
}

// sameRunInParts: what send cuts a large input into is read alone and gives the same runs, in whatever order.
func sameRunInParts(t *testing.T, d *dialect.Dialect, f fixture) {
	out, _, _ := format.Decode(f.input, format.Limits{})
	if len(out.Rejects) > 0 {
		return
	}
	want := assembled(t, out)
	for _, most := range []int{1, 3000, 1 << 30} {
		parts, rejects := format.Split(f.input, d, most)
		if len(rejects) > 0 {
			t.Fatalf("split at %d: %v", most, rejects[0])
		}
		slices.Reverse(parts)
		var outs []dialect.Output
		for _, part := range parts {
			decoded, found, err := format.Decode(dialect.Input{Key: part.Key, Value: part.Value, Headers: part.Headers}, format.Limits{})
			if err != nil || found != d || len(decoded.Rejects) > 0 {
				t.Fatalf("a part of at most %d bytes gives %v, %v: %.200s", most, err, decoded.Rejects, part.Value)
			}
			for _, fragment := range decoded.Fragments {
				if string(fragment.Meta.ID) != part.Key {
					t.Errorf("a part with the key %q holds the run %q", part.Key, fragment.Meta.ID)
				}
			}
			outs = append(outs, decoded)
		}
		if got := assembled(t, outs...); !reflect.DeepEqual(got, want) {
			t.Errorf("in %d parts of at most %d bytes it gives other runs: %s", len(parts), most, firstDifference(got, want))
		}
	}
}

// firstDifference says where two sets of runs part, for people to look.
func firstDifference(got, want map[transcript.RunID]transcript.Run) string {
	for id, run := range want {
		other := got[id]
		if !reflect.DeepEqual(run.Meta, other.Meta) {
			return fmt.Sprintf("run %s is %+v, want %+v", id, other.Meta, run.Meta)
		}
		for i, thread := range run.Threads {
			if i >= len(other.Threads) {
				return fmt.Sprintf("run %s has no thread %q", id, thread.ID)
			}
			for j, message := range thread.Messages {
				if j >= len(other.Threads[i].Messages) || !reflect.DeepEqual(message, other.Threads[i].Messages[j]) {
					return fmt.Sprintf("run %s, thread %q, message %d:\n%+v\nwant\n%+v", id, thread.ID, j, other.Threads[i].Messages, thread.Messages)
				}
			}
			if !reflect.DeepEqual(thread, other.Threads[i]) {
				return fmt.Sprintf("run %s, thread %q, beside its messages", id, thread.ID)
			}
		}
	}
	return fmt.Sprintf("%d runs, want %d", len(got), len(want))
}

// survivesCuts: an input that ends early is refused with its place, or gives what came before, and no run of another name.
func survivesCuts(t *testing.T, f fixture) {
	whole, _, _ := format.Decode(f.input, format.Limits{})
	known := map[transcript.RunID]bool{}
	for _, fragment := range whole.Fragments {
		known[fragment.Meta.ID] = true
	}
	const cuts = 40
	for i := range cuts {
		input := f.input
		input.Value = f.input.Value[:len(f.input.Value)*i/cuts]
		out, _, err := format.Decode(input, format.Limits{})
		checkError(t, err)
		for _, fragment := range out.Fragments {
			if !known[fragment.Meta.ID] {
				t.Errorf("cut at %d/%d it tells of another run %q", i, cuts, fragment.Meta.ID)
			}
		}
		if err == nil && len(out.Fragments) == 0 && len(out.Rejects) == 0 && !f.damaged {
			t.Errorf("cut at %d/%d it vanishes without a reject", i, cuts)
		}
	}
}

// checkError: what a decoder returns as an error says why, for people and programs.
func checkError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var reject dialect.Reject
	if !errors.As(err, &reject) || reject.Reason == "" || reject.Message == "" {
		t.Errorf("the error is no reject with reason and message: %v", err)
	}
}

// refusesBadInput: what is no record of the dialect is refused, or gives nothing, and nothing panics.
func refusesBadInput(t *testing.T, d *dialect.Dialect) {
	inputs := map[string]string{
		"nothing":             "",
		"white space":         " \n\t ",
		"no JSON":             "It was a dark and stormy night.",
		"binary":              "\x1f\x8b\x08\x00\x00\x00\x00\x00",
		"an open object":      `{"a":`,
		"a number":            "17",
		"an empty object":     "{}",
		"deep arrays":         strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep objects":        strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"deeper arrays":       strings.Repeat("[", 100_000),
		"lines of no objects": "1\n2\n3\n",
		"many empty objects":  "[" + strings.Repeat("{},", 200_000) + "{}]",
	}
	for name, text := range inputs {
		t.Run(name, func(t *testing.T) {
			input := dialect.Input{Value: []byte(text), Headers: map[string]string{dialect.HeaderFormat: d.Name}}
			out, _, err := format.Decode(input, format.DefaultLimits())
			checkError(t, err)
			if len(out.Fragments) > 0 {
				t.Errorf("it gives %d fragments", len(out.Fragments))
			}
			if err == nil && len(out.Rejects) == 0 && !strings.HasPrefix(name, "an empty") {
				t.Errorf("it is neither read nor refused")
			}
		})
	}
}

// assembled merges outputs, each as a record of its own, into runs.
func assembled(t *testing.T, outs ...dialect.Output) map[transcript.RunID]transcript.Run {
	t.Helper()
	assembler, err := assemble.New(assemble.DefaultConfig(), noRuns{})
	if err != nil {
		t.Fatal(err)
	}
	runs := map[transcript.RunID]transcript.Run{}
	arrived := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, out := range outs {
		batch, err := assembler.Batch(context.Background(), []assemble.Arrival{{Fragments: out.Fragments, Time: arrived}})
		if err != nil {
			t.Fatal(err)
		}
		for _, reject := range batch.Rejects {
			t.Errorf("assembling refuses it: %v", reject)
		}
		for _, changed := range batch.Changed {
			runs[changed.Run.Meta.ID] = changed.Run
		}
	}
	return runs
}

// noRuns is a store with nothing in it.
type noRuns struct{}

func (noRuns) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}
