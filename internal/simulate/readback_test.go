package simulate

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// The scenes promise that they never meet: no call of one is identical to a
// call of another, nor is taken for the repair of another's error. These tests
// read the written transcripts back, in the chat form, with the plainest
// reading of the rules, and hold it against what the plan says.

type readCall struct {
	id, tool, args, body string
	failed               bool
}

type readTurn struct {
	at    time.Time
	calls []readCall
	user  bool // a person spoke between this turn and the next, or the end
}

func readThread(t *testing.T, rec Record, outcomes map[string]string) []readTurn {
	t.Helper()
	var turns []readTurn
	for _, m := range open(t, rec).Messages {
		var v struct {
			Role, Content string
			CallID        string `json:"tool_call_id"`
			Timestamp     time.Time
			ToolCalls     []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(m, &v); err != nil {
			t.Fatal(err)
		}
		switch v.Role {
		case "user":
			if len(turns) > 0 {
				turns[len(turns)-1].user = true
			}
		case "assistant":
			turn := readTurn{at: v.Timestamp}
			for _, c := range v.ToolCalls {
				var args map[string]any
				if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil {
					t.Fatal(err)
				}
				canonical, _ := json.Marshal(args)
				turn.calls = append(turn.calls, readCall{id: c.ID, tool: c.Function.Name, args: string(canonical), failed: outcomes[c.ID] == Error})
			}
			turns = append(turns, turn)
		case "tool":
			for i := range turns[len(turns)-1].calls {
				if c := &turns[len(turns)-1].calls[i]; c.id == v.CallID {
					c.body = v.Content
				}
			}
		}
	}
	return turns
}

// eachThread calls f with every thread of many runs, read back.
func eachThread(t *testing.T, f func(r *Run, thread string, turns []readTurn)) {
	for seed := range uint64(4) {
		cfg := Small()
		cfg.Seed, cfg.RunsPerDay = seed, 50
		for r := range Generate(cfg) {
			outcomes := map[string]string{}
			for _, c := range r.Truth.Calls {
				outcomes[c.ID] = c.Outcome
			}
			as := r.As(OpenAI)
			for _, rec := range as.Records {
				f(&r, open(t, rec).Thread, readThread(t, rec, outcomes))
			}
		}
	}
}

func (c readCall) same(d readCall) bool { return c.tool == d.tool && c.args == d.args }

func readLabel(r *Run, turns []readTurn, at int, c readCall) string {
	if turns[at].user {
		return User
	}
	if at+1 == len(turns) {
		if r.Truth.Open {
			return Unlabelled
		}
		return Ended
	}
	next := turns[at+1].calls
	label := Switched
	for _, d := range next {
		if d.same(c) {
			return Repeat
		}
		if d.tool == c.tool {
			label = Corrected
		}
	}
	if len(next) == 0 {
		return Replied
	}
	return label
}

func TestLabelsReadBack(t *testing.T) {
	n := 0
	eachThread(t, func(r *Run, _ string, turns []readTurn) {
		want := map[string]string{}
		for _, e := range r.Truth.Errors {
			want[e.ID] = e.Label
		}
		for i := range turns {
			for _, c := range turns[i].calls {
				if !c.failed {
					continue
				}
				n++
				if got := readLabel(r, turns, i, c); got != want[c.id] {
					t.Errorf("%s %s: the transcript reads %q, the plan says %q (scenes %v)", r.ID, c.id, got, want[c.id], r.Truth.Scenes)
				}
			}
		}
	})
	if n < 500 {
		t.Errorf("only %d errors read", n)
	}
}

func TestPatternsReadBack(t *testing.T) {
	type patterns struct{ idle, streaks, cycles int }
	got, want := map[string]patterns{}, map[string]patterns{}
	eachThread(t, func(r *Run, thread string, turns []readTurn) {
		k := fmt.Sprint(r.Truth.RunID, r.Truth.Started, r.cfg.Seed)
		want[k] = patterns{r.Truth.IdleRepeats, r.Truth.StuckStreaks, r.Truth.Cycles}
		p := got[k]
		codes := map[string]string{}
		for _, e := range r.Truth.Errors {
			codes[e.ID] = e.Code
		}
		var all []readCall
		for i := range turns {
			for _, c := range turns[i].calls {
				for j := 0; i+1 < len(turns) && j < len(turns[i+1].calls); j++ {
					d := turns[i+1].calls[j]
					if c.same(d) && !c.failed && !d.failed && c.body == d.body && !turns[i].user {
						p.idle++
					}
				}
			}
			all = append(all, turns[i].calls...)
		}
		p.streaks += readStreaks(all, codes)
		p.cycles += readCycles(all)
		got[k] = p
	})
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s: the transcript reads %+v, the plan says %+v", k, got[k], want[k])
		}
	}
}

// readStreaks reads "successive calls of one tool" both ways, among the calls
// of the tool and among all calls, and fails the truth if they differ.
func readStreaks(all []readCall, codes map[string]string) int {
	among := func(list []readCall) int {
		n := 0
		for i := 0; i < len(list); {
			j, args := i, map[string]bool{}
			for j < len(list) && list[j].failed && list[j].tool == list[i].tool && codes[list[j].id] == codes[list[i].id] {
				args[list[j].args] = true
				j++
			}
			if j-i >= 3 && len(args) >= 2 {
				n++
			}
			i = max(j, i+1)
		}
		return n
	}
	strict, loose := among(all), 0
	byTool := map[string][]readCall{}
	for _, c := range all {
		byTool[c.tool] = append(byTool[c.tool], c)
	}
	for _, list := range byTool {
		loose += among(list)
	}
	if strict != loose {
		return -1
	}
	return strict
}

// readCycles counts maximal stretches of period two to four.
func readCycles(all []readCall) int {
	eq := func(i, j int) bool { return all[i].same(all[j]) && all[i].failed == all[j].failed }
	n := 0
	for i := 0; i < len(all); i++ {
		for p := 2; p <= 4; p++ {
			distinct, failing := map[string]bool{}, false
			for k := i; k < min(i+p, len(all)); k++ {
				distinct[all[k].tool+all[k].args] = true
				failing = failing || all[k].failed
			}
			end := i + p
			for end < len(all) && eq(end, end-p) {
				end++
			}
			if len(distinct) < 2 || !failing || end < i+2*p {
				continue
			}
			n++
			i = end - 1
			break
		}
	}
	return n
}

// TestScenesDoNotMeet: in a thread, what an episode's tool does between its
// first error and its end are its attempts, all of them, and after an episode
// that nobody repaired its tool is not used again.
func TestScenesDoNotMeet(t *testing.T) {
	eachThread(t, func(r *Run, thread string, turns []readTurn) {
		for _, e := range r.Truth.Episodes {
			if e.Thread != thread || e.Code == "~unknown_tool" || e.Code == "unknown_tool" {
				continue
			}
			last := len(turns)
			if e.Ending == Recovered || e.Ending == RecoveredWithUser {
				last = e.Turn + e.Turns
			}
			n := 0
			for i := e.Turn; i < last; i++ { // turn i+1
				for _, c := range turns[i].calls {
					if c.tool == e.Tool {
						n++
					}
				}
			}
			if n != e.Attempts {
				t.Errorf("%s: %d later calls of %s before the end of its episode, %d attempts (scenes %v)", r.ID, n, e.Tool, e.Attempts, r.Truth.Scenes)
			}
		}
	})
}
