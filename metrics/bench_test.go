package metrics

import (
	"fmt"
	"strings"
	"testing"

	"errata/transcript"
)

// benchmarkRun is a run of one call a turn, every fourth of which fails and is repaired.
func benchmarkRun(calls int) transcript.Run {
	run := transcript.Run{Started: began, Timed: true, Threads: make([]transcript.Thread, 1)}
	thread := &run.Threads[0]
	for i := range calls {
		tool, status, flag := "get_ticket", "open", transcript.FlagUnset
		body := fmt.Sprintf(`{"ok":true,"id":"T-%d","text":"%s"}`, i/4, strings.Repeat("lorem ipsum ", 20))
		switch i % 4 {
		case 1:
			tool, status, flag = "update_ticket", "OPEN", transcript.FlagError
			body = `{"error":"Invalid status"}`
		case 2:
			tool = "update_ticket"
		}
		call := transcript.Call{ID: fmt.Sprint(i), Tool: transcript.Tool(tool),
			Arguments: fmt.Sprintf(`{"ticket_id":"T-%d","status":"%s","note":"checked by the desk"}`, i/4, status)}
		result := &transcript.Result{CallID: call.ID, Body: body, Flag: flag}
		thread.Turns = append(thread.Turns, transcript.Turn{
			Number: i + 1, Follows: i, Messages: []int{2 * i}, Time: began, Model: "gpt-4o",
			Calls: []transcript.TurnCall{{Call: call, Time: began, Asked: began, Result: result}},
			Usage: &transcript.Usage{Input: 1000, Output: 50},
		})
		thread.Messages = append(thread.Messages,
			transcript.Message{Role: transcript.RoleAssistant, Calls: []transcript.Call{call}},
			transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{*result}})
	}
	return run
}

func BenchmarkMine(b *testing.B) {
	for _, calls := range []int{20, 500, 5_000} {
		run := benchmarkRun(calls)
		env := Env{Rules: DefaultRules(), Prices: testPrices, Tokens: letters{}}
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Mine(run, env)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(calls), "ns/call")
		})
	}
}

// BenchmarkMineOpen is the worst that is likely: every call fails, and no two are after the same thing.
func BenchmarkMineOpen(b *testing.B) {
	for _, calls := range []int{500, 5_000} {
		run := benchmarkRun(calls)
		for i := range run.Threads[0].Turns {
			call := &run.Threads[0].Turns[i].Calls[0]
			call.Tool, call.Result.Flag, call.Result.Body = "f", transcript.FlagError, "red"
			call.Arguments = fmt.Sprintf(`{"x":"%x"}`, uint64(i)*0x9E3779B97F4A7C15)
		}
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Mine(run, testEnv(nil))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(calls), "ns/call")
		})
	}
}

// BenchmarkStep is what one more turn of a long run costs.
func BenchmarkStep(b *testing.B) {
	run := benchmarkRun(5_000)
	thread := &run.Threads[0]
	b.ReportAllocs()
	for b.Loop() {
		m := NewMiner(testEnv(nil), run.Meta)
		for i := range thread.Turns {
			m.Step(thread, &thread.Turns[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5_000, "ns/turn")
}

// BenchmarkIncrement is what one more turn of a run of 5,000 costs whoever keeps a Miner of the turns before it.
func BenchmarkIncrement(b *testing.B) {
	run := benchmarkRun(5_001)
	thread := &run.Threads[0]
	m := NewMiner(testEnv(nil), run.Meta)
	for i := range thread.Turns[:5_000] {
		m.Step(thread, &thread.Turns[i])
	}
	last := &thread.Turns[5_000]
	b.Run("step", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Clone().Step(thread, last)
		}
	})
	b.Run("step-and-facts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			clone := m.Clone()
			clone.Step(thread, last)
			clone.Facts(&run)
		}
	})
}

func BenchmarkBPE(b *testing.B) {
	bpe := NewBPE()
	text := strings.Repeat("The ticket was updated by the desk on Monday. ", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		bpe.Count("gpt-4o", text)
	}
}
