package simulate

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func collect(cfg Config) []Run {
	var runs []Run
	for r := range Generate(cfg) {
		runs = append(runs, r)
	}
	return runs
}

func truthsOf(runs []Run) []Truth {
	list := make([]Truth, len(runs))
	for i := range runs {
		list[i] = runs[i].Truth
	}
	return list
}

func TestEqualParametersGiveEqualBytes(t *testing.T) {
	a, b := collect(Small()), collect(Small())
	if len(a) != len(b) {
		t.Fatalf("%d and %d runs", len(a), len(b))
	}
	for i := range a {
		if !reflect.DeepEqual(a[i].Records, b[i].Records) || !reflect.DeepEqual(a[i].Truth, b[i].Truth) {
			t.Fatalf("run %d differs", i)
		}
	}
	other := Small()
	other.Seed++
	if c := collect(other); bytes.Equal(c[0].Records[0].Value, a[0].Records[0].Value) {
		t.Error("another seed gives the same run")
	}
}

// envelope is what the tests read back of a record.
type envelope struct {
	Schema   string            `json:"schema"`
	RunID    string            `json:"run_id"`
	Thread   string            `json:"thread_id"`
	First    *int              `json:"first_message"`
	Messages []json.RawMessage `json:"messages"`
	Ended    bool              `json:"ended"`
}

func open(t *testing.T, r Record) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(r.Value, &e); err != nil {
		t.Fatalf("record of %s: %v\n%s", r.Key, err, r.Value)
	}
	if e.Schema != "errata.run/v1" || e.RunID != r.Key || len(e.Messages) == 0 {
		t.Fatalf("record of %s has schema %q, run %q, %d messages", r.Key, e.Schema, e.RunID, len(e.Messages))
	}
	return e
}

func TestRecordsInEveryForm(t *testing.T) {
	for _, r := range collect(Small()) {
		for _, form := range []string{OpenAI, Anthropic, Gemini} {
			as := r.As(form)
			for _, rec := range as.Records {
				e := open(t, rec)
				if ended := e.Thread != "" || !r.Truth.Open; e.Ended != ended {
					t.Errorf("%s %q ended %v, want %v", r.ID, e.Thread, e.Ended, ended)
				}
			}
			if as.Truth.Tokens.Total() != r.Truth.Tokens.Total() || len(as.Truth.Charges) != len(r.Truth.Charges) {
				t.Errorf("%s as %s has other tokens", r.ID, form)
			}
		}
	}
}

func TestCutsHoldTheSameMessages(t *testing.T) {
	for _, r := range collect(Small()) {
		whole := map[string][]json.RawMessage{}
		for _, rec := range r.Records {
			e := open(t, rec)
			whole[e.Thread] = e.Messages
		}
		joined, last := map[string][]json.RawMessage{}, map[string][]json.RawMessage{}
		for _, rec := range r.Increments(4) {
			e := open(t, rec)
			if e.First == nil || *e.First != len(joined[e.Thread]) {
				t.Fatalf("%s: an increment starts at %v, want %d", r.ID, e.First, len(joined[e.Thread]))
			}
			joined[e.Thread] = append(joined[e.Thread], e.Messages...)
		}
		for _, rec := range r.Snapshots(3) {
			e := open(t, rec)
			if len(e.Messages) <= len(last[e.Thread]) {
				t.Fatalf("%s: a snapshot does not grow", r.ID)
			}
			last[e.Thread] = e.Messages
		}
		if !reflect.DeepEqual(joined, whole) || !reflect.DeepEqual(last, whole) {
			t.Fatalf("%s: the cuts hold other messages than the whole", r.ID)
		}
	}
}

func TestSums(t *testing.T) {
	cfg := Default()
	cfg.Days = 6
	truths := truthsOf(collect(cfg))
	all := Aggregate(truths)[0]
	if all.Runs != len(truths) || all.Calls != all.OK+all.Errored+all.Refused+all.Cancelled+all.Pending {
		t.Errorf("calls do not add up: %+v", all)
	}
	if all.Labelled != all.Repeat+all.Corrected+all.Switched+all.Replied+all.User+all.Ended || all.Repeat != all.Futile+all.Sanctioned {
		t.Errorf("labels do not add up: %+v", all)
	}
	if all.Episodes != all.Recovered+all.RecoveredWithUser+all.Abandoned+all.Open {
		t.Errorf("endings do not add up: %+v", all)
	}
	for _, by := range [][]string{{ByTool}, {ByVariant, ByDay}, {ByModel, ByAgent}, {ByCode}, {ByHour, ByTool, ByCode}} {
		var sum Group
		for _, g := range Aggregate(truths, by...) {
			sum.Calls += g.Calls
			sum.Errored += g.Errored
			sum.Repeat += g.Repeat
			sum.Loops += g.Loops
			sum.Episodes += g.Episodes
			sum.RecoveryTurns += g.RecoveryTurns
			sum.RecoveryTokens = sum.RecoveryTokens.Add(g.RecoveryTokens)
		}
		calls := all.Calls
		if by[len(by)-1] == ByCode {
			calls = all.Errored
		}
		if sum.Calls != calls || sum.Errored != all.Errored || sum.Repeat != all.Repeat || sum.Loops != all.Loops ||
			sum.Episodes != all.Episodes || sum.RecoveryTurns != all.RecoveryTurns || sum.RecoveryTokens != all.RecoveryTokens {
			t.Errorf("the groups by %v sum to %+v, want %+v", by, sum, all)
		}
	}
	for i := range truths {
		repeats := 0
		for _, c := range truths[i].Chains {
			repeats += c.Repeats
		}
		if repeats != truths[i].Labelled(Repeat) {
			t.Errorf("%s: chains hold %d repeats, labels say %d", truths[i].RunID, repeats, truths[i].Labelled(Repeat))
		}
	}
}

func TestDemoShowsWhatItPromises(t *testing.T) {
	now := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	runs := collect(Demo(now))
	size, open, straddling := 0, 0, 0
	for _, r := range runs {
		for _, rec := range r.Records {
			size += len(rec.Value)
			if rec.Time.After(now) {
				t.Fatalf("%s was published at %v, after now", r.ID, rec.Time)
			}
		}
		if r.Truth.Open {
			open++
		}
		if r.Truth.Straddles() {
			straddling++
		}
	}
	truths := truthsOf(runs)
	by := map[string]Group{}
	for _, g := range Aggregate(truths, ByVariant) {
		by[g.Key.Variant] = g
	}
	within := func(what string, got, low, high float64) {
		t.Helper()
		if math.IsNaN(got) || got < low || got > high {
			t.Errorf("%s is %.3f, want %.3f to %.3f", what, got, low, high)
		}
	}
	share := func(a, b int) float64 { return float64(a) / float64(b) }
	bare, structured := by[BareV1], by[StructuredV2]
	within("runs", float64(len(runs)), 2700, 3400)
	within("calls", float64(bare.Calls+structured.Calls), 25000, 42000)
	within("megabytes", float64(size)/1e6, 5, 60)
	within("loop rate, bare", share(bare.Repeat, bare.Labelled), 0.18, 0.26)
	within("loop rate, structured", share(structured.Repeat, structured.Labelled), 0.06, 0.12)
	within("never-share, bare", share(bare.Abandoned, bare.Episodes), 0.11, 0.17)
	within("never-share, structured", share(structured.Abandoned, structured.Episodes), 0.04, 0.09)
	within("open runs", float64(open), 6, 6)
	within("straddling share", share(straddling, len(runs)), 0, 0.02)
	shown, guarded := 0, 0
	for _, c := range Candidates(truths) {
		if c.Shown() {
			shown++
		}
		if c.Guard != "" {
			guarded++
		}
	}
	within("aliases to show", float64(shown), 10, 200)
	within("guarded aliases", float64(guarded), 10, 2000)
}

func TestRatesFollowTheirParameters(t *testing.T) {
	f := func(what string, set func(*Behaviour), get func(Group) float64, want float64) {
		t.Helper()
		cfg := Default()
		cfg.Variation, cfg.Days, cfg.Before = 0, 8, StructuredV2
		cfg.Delegates = 0 // no person speaks in a sub-agent's thread
		w := never()
		w.Faulty, w.Scenes[sceneValue] = 0.5, 1
		w.Reasons[MovedOn] = 1
		set(&w)
		cfg.Ways = map[string]Behaviour{StructuredV2: w}
		g := Aggregate(truthsOf(collect(cfg)))[0]
		// About 4,000 episodes: 0.025 is four standard deviations.
		if got := get(g); math.Abs(got-want) > 0.025 {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	f("loop rate of single repeats", func(b *Behaviour) { b.Repeat = 0.2 },
		func(g Group) float64 { return float64(g.Repeat) / float64(g.Episodes) }, 0.2)
	f("repeats of geometric chains", func(b *Behaviour) { b.Repeat, b.RepeatMore = 0.2, 0.5 },
		func(g Group) float64 { return float64(g.Repeat) / float64(g.Loops) / 2 }, 1)
	f("share given up", func(b *Behaviour) { b.GiveUp = 0.1 },
		func(g Group) float64 { return float64(g.Abandoned) / float64(g.Episodes) }, 0.1)
	f("share with a user", func(b *Behaviour) { b.AskUser = 0.15 },
		func(g Group) float64 { return float64(g.RecoveredWithUser) / float64(g.Episodes) }, 0.15)
}

func TestLoad(t *testing.T) {
	cfg := DefaultLoad()
	cfg.Runs, cfg.Together = 50, 20
	next, size, n := map[string]int{}, 0, 0
	for r := range Load(cfg) {
		e := open(t, r)
		if *e.First != next[r.Key] {
			t.Fatalf("%s goes on at %d, want %d", r.Key, *e.First, next[r.Key])
		}
		next[r.Key] += len(e.Messages)
		size += len(r.Value)
		n++
		if ended := next[r.Key] == 2*cfg.CallsPerRun+1; e.Ended != ended {
			t.Errorf("%s ended %v after %d messages", r.Key, e.Ended, next[r.Key])
		}
	}
	if want := cfg.Truth().Records; n != want || len(next) != cfg.Runs {
		t.Errorf("%d records of %d runs, want %d of %d", n, len(next), want, cfg.Runs)
	}
	if mean := size / n; mean < 700 || mean > 800 {
		t.Errorf("a record has %d bytes, want about 750", mean)
	}
}

func TestCheck(t *testing.T) {
	f := func(what string, spoil func(*Config), bad bool) {
		t.Helper()
		c := Default()
		spoil(&c)
		if err := c.Check(); (err != nil) != bad {
			t.Errorf("%s: %v", what, err)
		}
	}
	f("as it is", func(*Config) {}, false)
	f("no days", func(c *Config) { c.Days = 0 }, true)
	f("no scenes", func(c *Config) { c.ScenesPerRun = 0 }, true)
	f("no models", func(c *Config) { c.Models = nil }, true)
	f("a form that is none", func(c *Config) { c.Models[0].Form = "smoke" }, true)
	f("a variant without payloads", func(c *Config) { c.After = "v9" }, true)
	f("a variant without ways", func(c *Config) { c.Ways = nil }, true)
}

func TestShadowsAreInTheRecords(t *testing.T) {
	n := 0
	for _, r := range collect(Small()) {
		got := map[string]string{}
		for _, rec := range r.Records {
			var e struct {
				Shadow []struct {
					ID      string `json:"call_id"`
					Payload struct{ Error struct{ Code string } }
				}
			}
			if err := json.Unmarshal(rec.Value, &e); err != nil {
				t.Fatal(err)
			}
			for _, s := range e.Shadow {
				got[s.ID] = strings.ToLower(s.Payload.Error.Code)
			}
		}
		for _, s := range r.Truth.Shadows {
			n++
			if got[s.CallID] != s.NewCode {
				t.Errorf("%s: the shadow of %s has code %q, want %q", r.ID, s.CallID, got[s.CallID], s.NewCode)
			}
		}
		if len(got) != len(r.Truth.Shadows) {
			t.Errorf("%s: %d shadows in its records, want %d", r.ID, len(got), len(r.Truth.Shadows))
		}
	}
	if n == 0 {
		t.Error("no shadow at all")
	}
}
