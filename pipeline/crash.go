package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"errata/pipeline/feed"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// reasonCrash is the reason of what made a step panic: a fault of Errata, not of the record.
const reasonCrash dialect.Reason = "crash"

// crash is a panic of a step. One record must not stop the others, nor the process again and again.
type crash struct {
	step  string
	value any
}

func (c *crash) Error() string { return fmt.Sprintf("panic in step %s: %v", c.step, c.value) }

// reject says what became of the record, and how to mend it.
func (c *crash) reject(run transcript.RunID) dialect.Reject {
	return dialect.Reject{Reason: reasonCrash, Run: run, Message: fmt.Sprintf(
		"step %s failed on it (%.200v), which is a fault of Errata: report it with this record, and send it again with \"ingest rejects -resend\" after an update",
		c.step, c.value)}
}

// crashed is what is left of a record on which a step panicked.
func crashed(c *crash) decodedRecord {
	return decodedRecord{out: dialect.Output{Rejects: []dialect.Reject{c.reject("")}}}
}

// guard does a step and gives its panic, with the stack in the log.
func (p *Pipeline) guard(step string, do func()) (c *crash) {
	defer func() {
		if value := recover(); value != nil {
			c = &crash{step: step, value: value}
			p.log.Error("a step panicked, the record goes to the rejects", "step", step, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	do()
	return nil
}

// merge joins the records of a batch with what is known. A panic is an error, after which nothing is in memory.
func (p *Pipeline) merge(ctx context.Context, batch feed.Batch, decoded []decodedRecord) error {
	var err error
	crash := p.guard("merge", func() { err = p.apply(ctx, batch, decoded) })
	if crash == nil {
		return err
	}
	p.assemble.Drop()
	return crash
}

// oneByOne handles the records of a batch alone, so that the one that makes a step panic goes to the rejects and the others
// are stored.
func (p *Pipeline) oneByOne(ctx context.Context, batch feed.Batch, decoded []decodedRecord) error {
	for i := range batch.Records {
		alone := feed.Batch{Records: batch.Records[i : i+1]}
		err := p.merge(ctx, alone, decoded[i:i+1])
		var c *crash
		if errors.As(err, &c) {
			decoded[i] = crashed(c)
			err = p.merge(ctx, alone, decoded[i:i+1])
		}
		if err != nil {
			return err
		}
	}
	return p.merge(ctx, feed.Batch{Marks: batch.Marks}, nil)
}
