package assemble

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"errata/transcript"
)

// BenchmarkIncrement is the cost of one more turn of a run, by the number of messages that it has already.
func BenchmarkIncrement(b *testing.B) {
	for _, turns := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			whole := conversation(rand.New(rand.NewPCG(1, 1)), turns, false)
			meta := transcript.Meta{ID: "r"}
			a := open(b, whole, meta)
			n := len(whole)
			b.ReportAllocs()
			for b.Loop() {
				message := transcript.Message{Role: transcript.RoleAssistant, Text: fmt.Sprintf("more %d", n)}
				f := transcript.Fragment{Meta: meta, First: n, Messages: []transcript.Message{message}}
				if _, err := a.Batch(b.Context(), []Arrival{{Fragments: []transcript.Fragment{f}, Time: begin}}); err != nil {
					b.Fatal(err)
				}
				a.Confirm()
				if n++; n > len(whole)+len(whole)/10 { // start again, so that the run does not outgrow its name
					b.StopTimer()
					a, n = open(b, whole, meta), len(whole)
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(len(whole)), "messages")
		})
	}
}

// BenchmarkSnapshot is the cost of a whole history of which nothing is new.
func BenchmarkSnapshot(b *testing.B) {
	for _, turns := range []int{10, 1000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			whole := conversation(rand.New(rand.NewPCG(1, 1)), turns, false)
			meta := transcript.Meta{ID: "r"}
			a := open(b, whole, meta)
			f := transcript.Fragment{Meta: meta, Snapshot: true, Messages: whole}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Batch(b.Context(), []Arrival{{Fragments: []transcript.Fragment{f}, Time: begin}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(whole)), "ns/message")
		})
	}
}

// BenchmarkOpenRuns is the memory that an open run takes, beside what the cache counts for it.
func BenchmarkOpenRuns(b *testing.B) {
	const runs, turns = 500, 30
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		config := DefaultConfig()
		config.MaxBytes = 1 << 40
		a, err := New(config, table{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range runs {
			whole := conversation(rand.New(rand.NewPCG(uint64(i), 1)), turns, false)
			f := transcript.Fragment{Meta: transcript.Meta{ID: transcript.RunID(fmt.Sprint(i))}, Snapshot: true, Messages: whole}
			if _, err := a.Batch(b.Context(), []Arrival{{Fragments: []transcript.Fragment{f}, Time: begin}}); err != nil {
				b.Fatal(err)
			}
			a.Confirm()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		_, counted := a.Held()
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/runs, "heap-B/run")
		b.ReportMetric(float64(counted)/runs, "counted-B/run")
		runtime.KeepAlive(a)
	}
}

func open(b *testing.B, whole []transcript.Message, meta transcript.Meta) *Assembler {
	b.Helper()
	a, err := New(DefaultConfig(), table{})
	if err != nil {
		b.Fatal(err)
	}
	f := transcript.Fragment{Meta: meta, Snapshot: true, Messages: whole}
	if _, err := a.Batch(b.Context(), []Arrival{{Fragments: []transcript.Fragment{f}, Time: begin.Add(-time.Hour)}}); err != nil {
		b.Fatal(err)
	}
	a.Confirm()
	return a
}
