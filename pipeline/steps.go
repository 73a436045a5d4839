package pipeline

import (
	"context"
	"runtime"
	"sync"
	"time"

	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format/dialect"
	"errata/pipeline/store"
	"errata/transcript"
)

// decodedRecord is what a decoder made of one record.
type decodedRecord struct {
	out    dialect.Output
	format string // name of the dialect; "" where it was not told
}

// Prepare decodes a record, before its batch is handled. It is for the feed, which may call it from several goroutines.
func (p *Pipeline) Prepare(record feed.Record) any { return p.decodeOne(record) }

// decode gives what the records of a batch say, and reads those that were not prepared on all processors.
func (p *Pipeline) decode(records []feed.Record) []decodedRecord {
	decoded := make([]decodedRecord, len(records))
	parallel(len(records), func(i int) {
		if ready, ok := records[i].Prepared.(*decodedRecord); ok {
			decoded[i] = *ready
			return
		}
		decoded[i] = *p.decodeOne(records[i])
	})
	return decoded
}

// decodeOne reads one record. A decoder that panics makes a reject.
func (p *Pipeline) decodeOne(record feed.Record) *decodedRecord {
	in := dialect.Input{Value: record.Value, Key: string(record.Key), Headers: record.Headers}
	var decoded decodedRecord
	crash := p.guard("decode", func() {
		out, d, err := p.read(in, p.cfg.Decode)
		if err != nil {
			out.Rejects = append(out.Rejects, asReject(err))
		}
		for j := range out.Fragments {
			out.Fragments[j] = p.cfg.Redact.Fragment(out.Fragments[j], p.cfg.Env.Rules.Judge)
		}
		decoded.out = out
		if d != nil {
			decoded.format = d.Name
		}
	})
	if crash != nil {
		decoded = crashed(crash)
	}
	return &decoded
}

// mine derives the facts of every changed run, on all processors. A run on which mining panics keeps the facts that it
// had; its transcript is stored, so that they can be mined once the fault is mended.
func (p *Pipeline) mine(changed []assemble.Changed) (runs []store.Run, failed map[transcript.RunID]*crash) {
	mined := make([]store.Run, len(changed))
	crashes := make([]*crash, len(changed))
	rules := p.cfg.Env.Rules.Digest()
	parallel(len(changed), func(i int) {
		messages := 0
		for _, thread := range changed[i].Run.Threads {
			messages += len(thread.Messages)
		}
		crashes[i] = p.guard("mine", func() {
			mined[i] = store.Run{
				Version:  changed[i].Version,
				Rules:    rules,
				Messages: messages,
				Facts:    p.mineRun(changed[i].Run, p.cfg.Env),
			}
		})
	})
	failed = map[transcript.RunID]*crash{}
	for i, c := range crashes {
		if c != nil {
			failed[changed[i].Run.Meta.ID] = c
			continue
		}
		runs = append(runs, mined[i])
	}
	return runs, failed
}

// parallel calls do for 0 … n-1 on all processors and returns when all is done.
func parallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < n; i += workers {
				do(i)
			}
		})
	}
	group.Wait()
}

// reject is one thing that could not be used, of one record of the batch.
type reject struct {
	record int
	format string
	dialect.Reject
}

func allRejects(decoded []decodedRecord, merged assemble.Batch) []reject {
	var all []reject
	for i, d := range decoded {
		for _, r := range d.out.Rejects {
			all = append(all, reject{record: i, format: d.format, Reject: r})
		}
	}
	for _, r := range merged.Rejects {
		all = append(all, reject{record: r.Arrival, format: decoded[r.Arrival].format, Reject: r.Reject})
	}
	return all
}

// crashRejects are those of the runs that could not be mined, each at the last record that spoke of it.
func crashRejects(decoded []decodedRecord, failed map[transcript.RunID]*crash) []reject {
	var all []reject
	for i := len(decoded) - 1; i >= 0 && len(failed) > 0; i-- {
		for _, fragment := range decoded[i].out.Fragments {
			id := fragment.Meta.ID
			if c := failed[id]; c != nil {
				all = append(all, reject{record: i, format: decoded[i].format, Reject: c.reject(id)})
				delete(failed, id)
			}
		}
	}
	return all
}

// reject publishes the records of which something could not be used, once each with its first reason, and notes every
// reason in the table.
func (p *Pipeline) reject(ctx context.Context, batch feed.Batch, rejects []reject) error {
	if len(rejects) == 0 {
		return nil
	}
	rows := make([]store.Reject, len(rejects))
	var publish []feed.Rejected
	parts := map[int]int{} // rejects seen of a record
	now := time.Now().UTC()
	for i, r := range rejects {
		record := batch.Records[r.record]
		whole := len(record.Value)
		value, kept := p.cfg.Redact.Raw(record.Value)
		record.Value = value
		message := p.cfg.Redact.Text(r.Error())
		rows[i] = store.Reject{
			Topic: p.cfg.Topic, Partition: record.Partition, Offset: record.Offset, Part: parts[r.record],
			Reason: string(r.Reason), Message: message, Run: r.Run, Format: r.format,
			Sample: feed.Sample(record.Value), At: now,
		}
		if parts[r.record] == 0 {
			rejected := feed.Rejected{Record: record, Reason: string(r.Reason), Message: message}
			if !kept {
				rejected.Whole = whole
			}
			publish = append(publish, rejected)
		}
		parts[r.record]++
		p.counters.rejected.WithLabelValues(string(r.Reason)).Inc()
	}
	if err := p.rejects.Write(ctx, publish); err != nil {
		return err
	}
	return p.store.WriteRejects(ctx, rows)
}
