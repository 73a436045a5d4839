package simulate

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// LoadConfig says how much load there is and of what grain.
type LoadConfig struct {
	// Runs is the number of runs.
	Runs int
	// CallsPerRun is the number of calls of each run, a multiple of 5.
	CallsPerRun int
	// Together is how many runs are under way at once: their increments come
	// in turn, one of each.
	Together int
	// Size is the size of a record in bytes, about; what is missing is padded.
	Size int
	// Start is the time of the first message.
	Start time.Time
}

// DefaultLoad is a load of 10,000 runs of 20 calls, 500 runs at once, in
// records of 750 bytes.
func DefaultLoad() LoadConfig {
	return LoadConfig{Runs: 10_000, CallsPerRun: 20, Together: 500, Size: 750, Start: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
}

// LoadTruth is what holds of a whole load. Of every five calls of a run the
// fourth fails and the fifth is the same call again and works: one errored
// call, one repeat, one episode that recovers with one attempt in one turn.
type LoadTruth struct{ Records, Runs, Calls, Errored, Repeats, Episodes int }

// Truth is what holds of the load.
func (c *LoadConfig) Truth() LoadTruth {
	fives := c.Runs * (c.CallsPerRun / 5)
	return LoadTruth{Records: c.Runs * c.CallsPerRun, Runs: c.Runs, Calls: c.Runs * c.CallsPerRun, Errored: fives, Repeats: fives, Episodes: fives}
}

// Load gives increments of one call each: an assistant message and its result
// in the chat form, the runs interleaved, each run in order and ended by its
// last record. It costs little more than the bytes it writes.
func Load(cfg LoadConfig) iter.Seq[Record] {
	pad := strings.Repeat("all of it is in order; ", cfg.Size/23+1)
	return func(yield func(Record) bool) {
		for from := 0; from < cfg.Runs; from += cfg.Together {
			to := min(from+cfg.Together, cfg.Runs)
			for n := range cfg.CallsPerRun {
				for run := from; run < to; run++ {
					if !yield(cfg.record(run, n, pad)) {
						return
					}
				}
			}
		}
	}
}

// record is the n-th call of a run. Message 0 of a run is what a person asks;
// call n is message 2n+1 and its result message 2n+2.
func (c *LoadConfig) record(run, n int, pad string) Record {
	at := c.Start.Add(time.Duration(run/c.Together)*time.Minute + time.Duration(n)*2*time.Second + time.Duration(run%c.Together)*time.Millisecond)
	id := fmt.Sprintf("load-%07d", run)
	b := make([]byte, 0, c.Size+64)
	b = fmt.Appendf(b, `{"schema":"errata.run/v1","run_id":%q,"agent":"load-bot","provider":"openai","model":"gpt-4o","variant":"bare-v1"`, id)
	if n == c.CallsPerRun-1 {
		b = append(b, `,"ended":true,"end_reason":"completed"`...)
	}
	spoke := at.Format(time.RFC3339Nano)
	if n == 0 {
		b = fmt.Appendf(b, `,"first_message":0,"messages":[{"role":"user","content":"Please settle this.","timestamp":%q},`, spoke)
	} else {
		b = fmt.Appendf(b, `,"first_message":%d,"messages":[`, 2*n+1)
	}
	ticket := n
	if n%5 == 4 {
		ticket = n - 1
	}
	b = fmt.Appendf(b, `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"update_ticket",`+
		`"arguments":"{\"ticket\":\"T-%d\",\"status\":\"open\"}"}}],"usage":{"prompt_tokens":%d,"completion_tokens":24},"timestamp":%q},`,
		n, 1000+ticket, 800+60*n, spoke)
	b = fmt.Appendf(b, `{"role":"tool","tool_call_id":"c%d","timestamp":%q,"content":`, n, at.Add(time.Second).Format(time.RFC3339Nano))
	if n%5 == 3 {
		b = append(b, `"{\"error\":\"Service unavailable\"}"}]}`...)
	} else {
		fill := max(0, min(len(pad), c.Size-len(b)-len(`"{\"done\":true,\"note\":\"\"}"}]}`)))
		b = append(append(append(b, `"{\"done\":true,\"note\":\"`...), pad[:fill]...), `\"}"}]}`...)
	}
	return Record{Key: id, Value: b, Time: at.Add(time.Second + lag)}
}
