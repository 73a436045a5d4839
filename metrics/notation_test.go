package metrics

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"errata/transcript"
)

// A transcript in the notation of testdata, line by line:
//
//	run ended=turn_limit variant=v1    what the record says of the run; ended alone is completed
//	thread sub ended                   another thread begins
//	turn follows=2 model=m usage=1,2,3,4 at=3s
//	  say TEXT                         what the model says
//	  call ID TOOL ARGUMENTS           call! for a harness's placeholder, usercall for one of the user's own
//	  result ID error at=5s variant=v2 BODY
//	user TEXT                          a user message
//	system TEXT
//
// A result is error, refused, cancelled or running, or else nothing is said of it. A turn and a result come one second
// after what was before them, unless they say at which time after the start.
type notation struct {
	t       *testing.T
	run     transcript.Run
	thread  *transcript.Thread
	clock   time.Time
	pending bool // a user message waits for its turn
	calls   map[string][2]int
}

var began = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

func parseRun(t *testing.T, text string) transcript.Run {
	t.Helper()
	n := &notation{t: t, clock: began, calls: map[string][2]int{}}
	n.run = transcript.Run{Started: began, Timed: true, Meta: transcript.Meta{ID: "r", Model: "test-model"}}
	n.run.Threads = make([]transcript.Thread, 1, 8)
	n.thread = &n.run.Threads[0]
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			n.line(line)
		}
	}
	n.finish()
	n.run.LastActivity = n.clock
	return n.run
}

func (n *notation) line(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "run":
		options, _ := n.options(rest, "ended", "variant", "success")
		_, n.run.Meta.Ended = options["ended"]
		n.run.Meta.EndReason = transcript.EndReason(options["ended"])
		n.run.Meta.Variant = transcript.Variant(options["variant"])
	case "thread":
		n.finish()
		name, rest, _ := strings.Cut(rest, " ")
		n.run.Threads = append(n.run.Threads, transcript.Thread{ID: transcript.ThreadID(name), Ended: rest == "ended"})
		n.thread = &n.run.Threads[len(n.run.Threads)-1]
		n.calls = map[string][2]int{}
	case "turn":
		n.turn(rest)
	case "say":
		n.message().Text = rest
	case "call", "call!", "usercall":
		n.call(word, rest)
	case "result":
		n.result(rest)
	case "user":
		n.thread.Messages = append(n.thread.Messages, transcript.Message{Role: transcript.RoleUser, Text: rest})
		n.pending = true
	case "system":
		n.thread.Messages = append(n.thread.Messages, transcript.Message{Role: transcript.RoleSystem, Text: rest})
	default:
		n.t.Fatalf("no such line: %s", line)
	}
}

// options takes leading words out of the rest of a line: name=value, or the name alone.
func (n *notation) options(rest string, names ...string) (map[string]string, string) {
	options := map[string]string{}
	for rest != "" {
		word, after, _ := strings.Cut(rest, " ")
		name, value, _ := strings.Cut(word, "=")
		known := false
		for _, candidate := range names {
			known = known || candidate == name
		}
		if !known {
			break
		}
		options[name], rest = value, after
	}
	if at, ok := options["at"]; ok {
		after, err := time.ParseDuration(at)
		if err != nil {
			n.t.Fatal(err)
		}
		n.clock = began.Add(after)
	} else {
		n.clock = n.clock.Add(time.Second)
	}
	return options, rest
}

func (n *notation) turn(rest string) {
	options, _ := n.options(rest, "follows", "model", "usage", "at")
	number := len(n.thread.Turns) + 1
	turn := transcript.Turn{
		Number: number, Follows: number - 1, Time: n.clock, Model: "test-model",
		Messages: []int{len(n.thread.Messages)}, UserBefore: n.pending,
	}
	n.pending = false
	if text, ok := options["follows"]; ok {
		turn.Follows, _ = strconv.Atoi(text)
	}
	if text, ok := options["model"]; ok {
		turn.Model = text
	}
	if text, ok := options["usage"]; ok {
		turn.Usage = &transcript.Usage{}
		if _, err := fmt.Sscanf(text, "%d,%d,%d,%d", &turn.Usage.Input, &turn.Usage.CacheRead, &turn.Usage.CacheWrite, &turn.Usage.Output); err != nil {
			n.t.Fatal(err)
		}
	}
	n.thread.Turns = append(n.thread.Turns, turn)
	n.thread.Messages = append(n.thread.Messages, transcript.Message{Role: transcript.RoleAssistant, Time: n.clock})
}

func (n *notation) last() *transcript.Turn { return &n.thread.Turns[len(n.thread.Turns)-1] }

func (n *notation) message() *transcript.Message { return &n.thread.Messages[n.last().Messages[0]] }

func (n *notation) call(word, rest string) {
	id, rest, _ := strings.Cut(rest, " ")
	tool, arguments, _ := strings.Cut(rest, " ")
	call := transcript.Call{ID: id, Tool: transcript.Tool(tool), Arguments: arguments, Unknown: word == "call!"}
	if word == "usercall" {
		call.Actor = transcript.ByUser
	}
	turn := n.last()
	n.calls[id] = [2]int{len(n.thread.Turns) - 1, len(turn.Calls)}
	turn.Calls = append(turn.Calls, transcript.TurnCall{Call: call, Index: len(turn.Calls), Time: n.clock, Asked: n.clock})
	n.message().Calls = append(n.message().Calls, call)
}

func (n *notation) result(rest string) {
	id, rest, _ := strings.Cut(rest, " ")
	options, body := n.options(rest, "error", "refused", "cancelled", "running", "at", "variant")
	place, ok := n.calls[id]
	if !ok {
		n.t.Fatalf("no call %s", id)
	}
	result := &transcript.Result{CallID: id, Body: body, Variant: transcript.Variant(options["variant"]), Time: n.clock}
	if _, ok := options["error"]; ok {
		result.Flag = transcript.FlagError
	}
	for _, fate := range []transcript.Fate{transcript.FateRefused, transcript.FateCancelled, transcript.FateRunning} {
		if _, ok := options[string(fate)]; ok {
			result.Fate = fate
		}
	}
	call := &n.thread.Turns[place[0]].Calls[place[1]]
	call.Result, call.Time = result, n.clock
	n.thread.Messages = append(n.thread.Messages, transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{*result}})
}

// finish marks the last turn of a thread that a user message follows.
func (n *notation) finish() {
	if n.pending && len(n.thread.Turns) > 0 {
		n.last().UserAfter = true
	}
	n.pending = false
}
