package feed

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/semaphore"
)

// arrived is a record with what the client says of it.
type arrived struct {
	message kafka.Message
	record  Record // unless the message is a marker
}

// intake reads all partitions of a generation into one queue and gathers batches from it.
type intake struct {
	cfg     Config
	log     *slog.Logger
	queue   chan arrived
	room    *semaphore.Weighted // bytes that may still enter the queue
	readers sync.WaitGroup
}

func newIntake(cfg Config, log *slog.Logger) *intake {
	return &intake{cfg: cfg, log: log, queue: make(chan arrived, cfg.Queue), room: semaphore.NewWeighted(cfg.QueueBytes)}
}

func (in *intake) start(ctx context.Context, assignments []kafka.PartitionAssignment) {
	for _, assignment := range assignments {
		in.readers.Go(func() { in.read(ctx, assignment) })
	}
}

// wait returns once every reader has stopped, which they do when their context ends.
func (in *intake) wait() { in.readers.Wait() }

// read fetches one partition from its committed offset on until ctx ends.
func (in *intake) read(ctx context.Context, assignment kafka.PartitionAssignment) {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers:        in.cfg.Brokers,
		Topic:          in.cfg.Topic,
		Partition:      assignment.ID,
		Dialer:         in.cfg.Dialer,
		MinBytes:       1,
		MaxBytes:       in.cfg.MaxRecord + 1<<20,
		MaxWait:        fetchWait,
		QueueCapacity:  readAhead,
		ReadBackoffMin: 100 * time.Millisecond,
		ReadBackoffMax: 2 * time.Second,
		ErrorLogger: kafka.LoggerFunc(func(format string, args ...any) {
			in.log.Debug("kafka reader", "partition", assignment.ID, "format", format)
		}),
	})
	defer reader.Close()
	from, ok := in.begin(ctx, assignment)
	if !ok {
		return
	}
	if err := reader.SetOffset(from); err != nil {
		in.log.Error("seek", "partition", assignment.ID, "offset", from, "error", err)
		return
	}
	for {
		message, err := reader.FetchMessage(ctx)
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			in.log.Warn("read partition again", "partition", assignment.ID, "error", err)
			continue
		}
		if in.room.Acquire(ctx, in.weight(message)) != nil {
			return
		}
		select {
		case in.queue <- in.prepare(message):
		case <-ctx.Done():
			return
		}
	}
}

// prepare has a record prepared while it is not its turn yet.
func (in *intake) prepare(message kafka.Message) arrived {
	a := arrived{message: message}
	if isMarker(message) {
		return a
	}
	a.record = recordOf(message)
	if in.cfg.Prepare != nil {
		a.record.Prepared = in.cfg.Prepare(a.record)
	}
	return a
}

// begin gives the offset to read a partition from: the committed one, or the beginning of the log where that lies outside
// of it, because records were deleted or the topic was made anew. The client would wait for ever for such an offset.
func (in *intake) begin(ctx context.Context, assignment kafka.PartitionAssignment) (int64, bool) {
	for assignment.Offset >= 0 {
		first, last, err := in.bounds(ctx, assignment.ID)
		switch {
		case ctx.Err() != nil:
			return 0, false
		case err != nil:
			in.log.Debug("ask for the bounds of a partition again", "partition", assignment.ID, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			continue
		case assignment.Offset < first || assignment.Offset > last:
			in.log.Warn("the committed offset lies outside of the log, reading from its beginning",
				"partition", assignment.ID, "committed", assignment.Offset, "first", first, "end", last)
			return first, true
		}
		break
	}
	return assignment.Offset, ctx.Err() == nil
}

// bounds asks for the first offset of a partition and its end.
func (in *intake) bounds(ctx context.Context, partition int) (first, last int64, err error) {
	dialer := in.cfg.Dialer
	if dialer == nil {
		dialer = kafka.DefaultDialer
	}
	for _, broker := range in.cfg.Brokers {
		var conn *kafka.Conn
		if conn, err = dialer.DialLeader(ctx, "tcp", broker, in.cfg.Topic, partition); err != nil {
			continue
		}
		first, last, err = conn.ReadOffsets()
		conn.Close()
		return first, last, err
	}
	return 0, 0, err
}

// fetchWait is how long the broker may wait for a first record. The client gives up an answer that has not begun by then and asks
// for all of it again, for ever where the broker or this process is slower than that; and an idle reader takes as long to
// close. So it is well above what an answer takes on a machine with too much to do, and below what a rebalance allows.
const fetchWait = 2 * time.Second

// readAhead is how many records of a partition wait outside of the queue: enough to keep the reader going, and few since
// nothing bounds their bytes.
const readAhead = 8

// weight is what a record takes of the queue's room. One that is larger than all of it waits until the queue is empty.
func (in *intake) weight(message kafka.Message) int64 {
	const overhead = 256
	return min(int64(len(message.Value)+len(message.Key)+overhead), in.cfg.QueueBytes)
}

// batches gathers batches until ctx ends, and then closes. A batch is offered once it is full or has waited long enough,
// and goes on growing while nobody takes it, up to its bounds: whoever is slow gets larger batches, not more of them.
func (in *intake) batches(ctx context.Context) <-chan Batch {
	out := make(chan Batch)
	in.readers.Go(func() {
		defer close(out)
		for ctx.Err() == nil {
			in.gather(ctx, out)
		}
	})
	return out
}

// gather hands out one batch. One that is only begun when ctx ends is given up.
func (in *intake) gather(ctx context.Context, out chan<- Batch) {
	var batch Batch
	marks := map[int]int{} // partition → index in batch.Marks
	bytes := 0
	var waited <-chan time.Time
	var offer chan<- Batch
	queue := in.queue
	for {
		select {
		case <-ctx.Done():
			return
		case offer <- batch:
			return
		case <-waited:
			offer = out
		case a := <-queue:
			in.room.Release(in.weight(a.message))
			batch.add(a, marks)
			bytes += len(a.message.Value)
			if len(batch.Records) >= in.cfg.MaxRecords || bytes >= in.cfg.MaxBytes {
				offer, queue = out, nil
			}
			if waited == nil {
				waited = time.After(in.cfg.MaxWait)
			}
		}
	}
}

func (b *Batch) add(a arrived, marks map[int]int) {
	message := a.message
	if !isMarker(message) {
		b.Records = append(b.Records, a.record)
	}
	i, ok := marks[message.Partition]
	if !ok {
		i = len(b.Marks)
		marks[message.Partition] = i
		b.Marks = append(b.Marks, Mark{Partition: message.Partition, First: message.Offset})
	}
	b.Marks[i].Next = message.Offset + 1
	b.Marks[i].HighWatermark = max(message.HighWaterMark, message.Offset+1)
}

// isMarker tells the marker that ends a transaction, which the client hands out like a record: its key is a version and a
// kind, its value a version and an epoch, all of them zero but for the last bytes.
func isMarker(message kafka.Message) bool {
	key, value := message.Key, message.Value
	return len(key) == 4 && key[0] == 0 && key[1] == 0 && key[2] == 0 && key[3] <= 1 &&
		len(value) == 6 && value[0] == 0 && value[1] == 0
}

// headerPrefix is what the headers that matter here start with.
const headerPrefix = "errata-"

// headers tells those that matter here from the others.
func headers(given []kafka.Header) (own map[string]string, foreign []Header) {
	for _, h := range given {
		if !strings.HasPrefix(h.Key, headerPrefix) {
			foreign = append(foreign, Header{h.Key, h.Value})
			continue
		}
		if own == nil {
			own = map[string]string{}
		}
		own[h.Key] = string(h.Value)
	}
	return own, foreign
}

// recordOf is a record as the client gives it.
func recordOf(message kafka.Message) Record {
	own, foreign := headers(message.Headers)
	return Record{
		Partition: message.Partition, Offset: message.Offset, Key: message.Key, Value: message.Value,
		Headers: own, Foreign: foreign, Time: message.Time.UTC(),
	}
}
