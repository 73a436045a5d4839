package metrics

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"errata/transcript"
)

// randomRun writes a run in the notation of testdata: few tools, values and errors, so that everything happens.
func randomRun(r *rand.Rand, turns int, branches bool) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	if r.IntN(2) == 0 {
		b.WriteString("run ended=" + pick("completed", "turn_limit", "error") + "\n")
	}
	id := 0
	for turn := 1; turn <= turns; turn++ {
		b.WriteString("turn")
		if branches && turn > 2 && r.IntN(8) == 0 {
			fmt.Fprintf(&b, " follows=%d", r.IntN(turn-1))
		}
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, " usage=%d,%d,%d,%d", r.IntN(50), r.IntN(50), r.IntN(50), 1+r.IntN(50))
		}
		b.WriteString("\n")
		if r.IntN(4) == 0 {
			b.WriteString("say " + pick("hm", "<invoke name=\"f\">", "well") + "\n")
		}
		var results []string
		for range r.IntN(4) {
			id++
			arguments := pick(`{}`, `{"a":"open"}`, `{"a":"OPEN"}`, `{"a":"opened","b":1}`, `{"b":2}`, `{"c":"open"}`, `{"a`)
			fmt.Fprintf(&b, "%s %d %s %s\n", pick("call", "call", "call", "call", "call!", "usercall"), id, pick("f", "g", "h"), arguments)
			outcome := pick("fine", "open it", "error red", "error bad a", `error {"code":"bad","message":"m","fields":[{"field":"a"}]}`,
				`error {"code":"busy","message":"m","retryable":true,"retry_after_ms":1500}`, "refused no", "cancelled no", "")
			if outcome != "" {
				results = append(results, fmt.Sprintf("result %d %s", id, outcome))
			}
		}
		r.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
		for _, line := range results {
			b.WriteString(line + "\n")
		}
		if r.IntN(10) == 0 {
			b.WriteString("user go on\n")
		}
	}
	return b.String()
}

func TestInvariantsOfRandomRuns(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomRun(r, 3+r.IntN(40), seed%2 == 1)
		run := parseRun(t, text)
		facts := Mine(run, testEnv(nil))
		checkInvariants(t, &run, &facts)
		checkEpisodes(t, &facts)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// checkEpisodes holds what section 5 says of every episode.
func checkEpisodes(t *testing.T, facts *Facts) {
	t.Helper()
	calls := map[Ref]*CallFact{}
	for i := range facts.Calls {
		calls[facts.Calls[i].Ref] = &facts.Calls[i]
	}
	owner := map[Ref]int{}
	for number, e := range facts.Episodes {
		if e.Attempts != len(e.Calls)-1 || e.First != e.Calls[0] || e.Last != e.Calls[e.Attempts] {
			t.Errorf("episode %d is at odds with its calls: %+v", number, e)
		}
		turn := 0
		for i, ref := range e.Calls {
			if other, taken := owner[ref]; taken {
				t.Errorf("call %v serves episodes %d and %d", ref, other, number)
			}
			owner[ref] = number
			if ref.Turn <= turn {
				t.Errorf("episode %d takes two calls of turn %d", number, turn)
			}
			turn = ref.Turn
			if ok := calls[ref].Outcome == OutcomeOK; ok != (i == e.Attempts && (e.Ending == EndingRecovered || e.Ending == EndingRecoveredWithUser)) {
				t.Errorf("episode %d: call %d of %d is %s and it %s", number, i, e.Attempts, calls[ref].Outcome, e.Ending)
			}
		}
		if calls[e.First].Outcome != OutcomeError {
			t.Errorf("episode %d opens at a call that is %s", number, calls[e.First].Outcome)
		}
	}
	for _, pair := range facts.Pairs {
		if pair.Rejected == pair.Accepted || facts.Episodes[pair.Episode].Ending == EndingOpen {
			t.Errorf("no pair: %+v", pair)
		}
	}
}

// TestStepwise holds that a fold whose facts are asked for after every turn comes to what one that is asked at the end
// comes to, and that after each turn it has the facts of the run up to there.
func TestStepwise(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	texts := []string{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, section(archive, "transcript"))
	}
	for seed := range uint64(40) {
		texts = append(texts, randomRun(rand.New(rand.NewPCG(seed, 2)), 20, seed%2 == 1))
	}
	for _, text := range texts {
		run := parseRun(t, text)
		m := NewMiner(testEnv(nil), run.Meta)
		for i := range run.Threads {
			for j := range run.Threads[i].Turns {
				m.Step(&run.Threads[i], &run.Threads[i].Turns[j])
				part := upTo(run, i, j)
				if got, want := m.Facts(&part), Mine(part, testEnv(nil)); !reflect.DeepEqual(got, want) {
					t.Fatalf("after turn %d of thread %d the fold has\n%+v\nand the whole\n%+v\n%s", j+1, i, got, want, text)
				}
			}
		}
		if got, want := m.Facts(&run), Mine(run, testEnv(nil)); !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v\n%s", got, want, text)
		}
	}
}

// TestClone holds that a clone goes on as its original would have, and leaves the original alone.
func TestClone(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := randomRun(r, 25, seed%2 == 1)
		run := parseRun(t, text)
		other := parseRun(t, randomRun(r, 25, seed%2 == 1))
		thread, strange := &run.Threads[0], &other.Threads[0]
		m := NewMiner(testEnv(nil), run.Meta)
		at := 5 + r.IntN(15)
		for i := range thread.Turns[:at] {
			m.Step(thread, &thread.Turns[i])
		}
		for i := range strange.Turns[at:] {
			clone := m.Clone()
			clone.Step(strange, &strange.Turns[at+i]) // another course of the run
			m = m.Clone()
			m.Step(thread, &thread.Turns[at+i])
		}
		if got, want := m.Facts(&run), Mine(run, testEnv(nil)); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v\nwant\n%+v\n%s", seed, got, want, text)
		}
	}
}

// upTo is a run as it is known after a turn of a thread, its threads one after the other.
func upTo(run transcript.Run, thread, turn int) transcript.Run {
	threads := append([]transcript.Thread(nil), run.Threads[:thread+1]...)
	threads[thread].Turns = threads[thread].Turns[:turn+1]
	run.Threads = threads
	return run
}

func TestHostileTurnsEnd(t *testing.T) {
	run := parseRun(t, "turn\nturn follows=2\nturn follows=9\nturn follows=4\ncall a f {}\nresult a error red\nturn\ncall b f {}\n")
	run.Threads[0].Turns[1].Messages = []int{-1, 99}
	run.Threads[0].Turns[2].Usage = &transcript.Usage{Input: -5, Output: 1 << 62}
	facts := Mine(run, testEnv(nil))
	if got := facts.Run.Usage.Output; got < 0 || got > 2*maxUsage {
		t.Errorf("%d tokens of output, want no more than is credible", got)
	}
	Mine(transcript.Run{}, Env{})
	Mine(run, Env{})
}
