package metrics

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"errata/transcript"
)

var update = flag.Bool("update", false, "rewrite the expected facts of testdata")

// letters counts four bytes as a token, so that counts can be checked by hand.
type letters struct{}

func (letters) Count(_, text string) int64 { return int64(len(text)+3) / 4 }

var testPrices = NewPrices([]Price{{Model: "test-model", Input: 2, CacheRead: 1, CacheWrite: 3, Output: 10}})

func testEnv(rules *Rules) Env { return Env{Rules: rules, Prices: testPrices, Tokens: letters{}} }

// section is a file of an archive, "" where it has none.
func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func TestMine(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rules := defaultRules()
			if text := section(archive, "rules.json"); text != "" {
				if rules, err = ParseRules([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			run := parseRun(t, section(archive, "transcript"))
			facts := Mine(run, testEnv(rules))
			checkInvariants(t, &run, &facts)
			got := describe(&facts, strings.Fields(section(archive, "show")))
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "facts" {
						archive.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := section(archive, "facts"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// checkInvariants holds what must be true of the facts of every run.
func checkInvariants(t *testing.T, run *transcript.Run, facts *Facts) {
	t.Helper()
	again := Mine(*run, testEnv(nil))
	if twice := Mine(*run, testEnv(nil)); !reflect.DeepEqual(again, twice) {
		t.Error("mining twice gives two answers")
	}
	repeats, chained := 0, 0
	for i := range facts.Calls {
		chained += facts.Calls[i].Chain
		if facts.Calls[i].Label == LabelRepeat {
			repeats++
		}
	}
	if repeats != chained {
		t.Errorf("%d repeats, but chains of %d in all", repeats, chained)
	}
	checkCharges(t, run, facts)
}

// checkCharges holds that the parts of every charged turn add up to the turn.
func checkCharges(t *testing.T, run *transcript.Run, facts *Facts) {
	t.Helper()
	type place struct {
		thread transcript.ThreadID
		turn   int
	}
	turns, usages := map[place]int{}, map[place]transcript.Usage{}
	for _, c := range facts.Charges {
		at := place{c.Thread, c.Turn}
		turns[at] += c.Turns
		u := usages[at]
		usages[at] = transcript.Usage{
			Input: u.Input + c.Usage.Input, CacheRead: u.CacheRead + c.Usage.CacheRead,
			CacheWrite: u.CacheWrite + c.Usage.CacheWrite, Output: u.Output + c.Usage.Output,
		}
	}
	for i := range run.Threads {
		for j := range run.Threads[i].Turns {
			turn := &run.Threads[i].Turns[j]
			at := place{run.Threads[i].ID, turn.Number}
			if n, charged := turns[at]; charged && n != 1 {
				t.Errorf("turn %v is counted %d times", at, n)
			}
			if u, charged := usages[at]; charged && turn.Usage != nil && turn.Usage.Total() > 0 && u != *turn.Usage {
				t.Errorf("turn %v: parts add up to %+v, want %+v", at, u, *turn.Usage)
			}
		}
	}
}

// describe writes facts as lines: of the kinds shown, else of calls, episodes, patterns and pairs.
func describe(facts *Facts, show []string) string {
	if len(show) == 0 {
		show = []string{"calls", "episodes", "patterns", "pairs"}
	}
	var b strings.Builder
	for _, kind := range show {
		switch kind {
		case "calls":
			each(&b, facts.Calls, describeCall)
		case "episodes":
			each(&b, facts.Episodes, describeEpisode)
		case "charges":
			each(&b, facts.Charges, describeCharge)
		case "patterns":
			each(&b, facts.Patterns, describePattern)
		case "pairs":
			each(&b, facts.Pairs, describePair)
		case "accepted":
			each(&b, facts.Accepted, func(a AcceptedFact) string {
				return fmt.Sprintf("accepted %s %s calls=%d distinct=%d", a.Tool, a.Field, a.Calls, len(a.Values))
			})
		case "run":
			r := facts.Run
			fmt.Fprintf(&b, "run turns=%d usage=%s estimated=%d nano=%d unpriced=%v leaked=%d\n",
				r.Turns, describeUsage(r.Usage), r.Estimated, r.Money, r.Unpriced, facts.LeakedCalls)
		}
	}
	return b.String()
}

func each[T any](b *strings.Builder, facts []T, describe func(T) string) {
	for _, f := range facts {
		b.WriteString(strings.TrimRight(describe(f), " ") + "\n")
	}
}

func place(r Ref) string {
	if r.Thread != "" {
		return fmt.Sprintf("%s:%d.%d", r.Thread, r.Turn, r.Index)
	}
	return fmt.Sprintf("%d.%d", r.Turn, r.Index)
}

// flags joins what is set.
func flags(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		value := reflect.ValueOf(pairs[i+1])
		switch {
		case value.Kind() == reflect.Pointer && !value.IsNil():
			fmt.Fprintf(&b, " %s=%v", pairs[i], value.Elem())
		case value.Kind() == reflect.Pointer || value.IsZero():
		case value.Kind() == reflect.Bool:
			fmt.Fprintf(&b, " %s", pairs[i])
		default:
			fmt.Fprintf(&b, " %s=%v", pairs[i], pairs[i+1])
		}
	}
	return b.String()
}

func describeCall(c CallFact) string {
	return fmt.Sprintf("call %s %s %s", place(c.Ref), c.Tool, c.Outcome) +
		flags("code", c.Folded, "label", c.Label, "sanctioned", c.Sanctioned, "obeyed", c.Obeyed, "honoured", c.Honoured,
			"chain", c.Chain, "malformed", c.Malformed, "unknown", c.Unknown)
}

func describeEpisode(e EpisodeFact) string {
	var calls []string
	for _, r := range e.Calls {
		calls = append(calls, place(r))
	}
	line := fmt.Sprintf("episode %s %s %s [%s] attempts=%d", e.Tool, e.Code, e.Ending, strings.Join(calls, " "), e.Attempts) +
		flags("reason", e.Reason, "turns", e.Turns, "seconds", e.Seconds, "serial", e.Serial, "changed", e.Changed, "rejected", e.Rejected)
	for _, h := range e.Helpers {
		line += fmt.Sprintf("\n  helper %s calls=%d", h.Tool, h.Calls) +
			flags("tokens", h.Tokens, "value_from_it", h.ValueFromIt, "named_by_error", h.NamedByError)
	}
	return line
}

func describeUsage(u transcript.Usage) string {
	return fmt.Sprintf("%d,%d,%d,%d", u.Input, u.CacheRead, u.CacheWrite, u.Output)
}

func describeCharge(c ChargeFact) string {
	return fmt.Sprintf("charge turn=%d episode=%d %s %s usage=%s nano=%d", c.Turn, c.Episode, c.Tool, c.Code, describeUsage(c.Usage), c.Money) +
		flags("turns", c.Turns, "seconds", c.Seconds, "estimated", c.Estimated)
}

func describePattern(p PatternFact) string {
	return fmt.Sprintf("pattern %s %s %s length=%d", p.Kind, place(p.First), p.Tool, p.Length) + flags("code", p.Code)
}

func describePair(p PairFact) string {
	return fmt.Sprintf("pair %s %s %s %s -> %s %s episode=%d", p.Level, p.Tool, p.Field, p.Rejected, p.Accepted, p.Kind, p.Episode) +
		flags("inferred", p.Inferred)
}
