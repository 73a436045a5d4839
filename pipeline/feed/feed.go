// Package feed is the Kafka side of ingest: it takes batches of records from a topic as a member of a consumer group,
// keeps their order per partition, and commits their offsets only once the batch was handled.
package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"
)

// Record is one Kafka record.
type Record struct {
	Partition int
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   map[string]string // those that start with "errata-"
	Foreign   []Header          // the others, which only pass through
	Time      time.Time         // when it was produced or appended, as the topic is configured
	Prepared  any               // what Config.Prepare made of it
}

// Header is a header of a record as it came.
type Header struct {
	Key   string
	Value []byte
}

// Batch is what was read at once: the records of each partition in their order.
type Batch struct {
	Records []Record
	Marks   []Mark // one for each partition of the batch
}

// Mark is how far a batch reaches in one partition.
type Mark struct {
	Partition     int
	First         int64 // offset of the batch's first record
	Next          int64 // offset after the batch's last record
	HighWatermark int64 // end of the partition as the broker told with that record
}

// Handler makes a batch count. When it returns nil everything of the batch is stored and its offsets are committed;
// when it returns an error nothing is committed and the feed stops with it. When the feed shuts down or is about to lose
// partitions its context lasts for Config.Grace longer, so that it may finish its batch.
type Handler interface {
	Handle(ctx context.Context, batch Batch) error

	// Assigned says that the feed starts anew from the committed offsets, with other partitions than before:
	// whatever is in memory and not stored must be forgotten. Nothing is read before it returns; the feed stops with
	// its error unless ctx has ended, as it does when the partitions are lost again.
	Assigned(ctx context.Context, partitions []int) error
}

// Config says what is read and how.
type Config struct {
	Brokers []string
	Topic   string
	Group   string
	Dialer  *kafka.Dialer // how to reach the brokers; nil: plain

	// Prepare does what can be done with a record on its own, while the batch before is handled; the handler finds what it
	// gives in the record. It is called from one goroutine for each partition. Nil: nothing is prepared.
	Prepare func(Record) any

	MaxRecords int           // a batch is handled when it has so many records,
	MaxBytes   int           // or so many bytes of values,
	MaxWait    time.Duration // or when its first record has waited so long
	MaxRecord  int           // the largest record that is fetched, in bytes
	Queue      int           // records fetched ahead,
	QueueBytes int64         // and their bytes at most, so that a halt fills no memory

	Grace          time.Duration // how long a batch at hand may take once the feed stops or loses partitions
	SessionTimeout time.Duration // after so long without a heartbeat the group gives the partitions to others

	Trouble func(error) // told what keeps the feed from its group, and nil once nothing does; may be nil
}

// DefaultConfig gives sensible bounds; brokers, topic and group are the caller's.
func DefaultConfig() Config {
	return Config{
		MaxRecords:     20_000,
		MaxBytes:       16 << 20,
		MaxWait:        400 * time.Millisecond,
		MaxRecord:      16 << 20,
		Queue:          2_000,
		QueueBytes:     16 << 20,
		Grace:          10 * time.Second,
		SessionTimeout: 30 * time.Second,
	}
}

// Feed consumes a topic.
type Feed struct {
	cfg Config
	log *slog.Logger
}

// New makes a feed; it does not connect yet.
func New(cfg Config, log *slog.Logger) *Feed {
	if cfg.Dialer == nil {
		cfg.Dialer = &kafka.Dialer{Timeout: 10 * time.Second, DualStack: true}
	}
	return &Feed{cfg: cfg, log: log}
}

// Run consumes until ctx ends, which is a clean stop and gives nil: the batch at hand is finished and committed, and
// the group is left. It gives an error when the handler does.
func (f *Feed) Run(ctx context.Context, handler Handler) error {
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID:                    f.cfg.Group,
		Brokers:               f.cfg.Brokers,
		Dialer:                f.cfg.Dialer,
		Topics:                []string{f.cfg.Topic},
		StartOffset:           kafka.FirstOffset,
		SessionTimeout:        f.cfg.SessionTimeout,
		HeartbeatInterval:     min(3*time.Second, f.cfg.SessionTimeout/3),
		RebalanceTimeout:      f.cfg.SessionTimeout,
		JoinGroupBackoff:      time.Second,
		WatchPartitionChanges: true,
		ErrorLogger:           kafka.LoggerFunc(f.complain),
	})
	if err != nil {
		return fmt.Errorf("configure consumer group %s: %w", f.cfg.Group, err)
	}
	defer group.Close()
	var said time.Time
	for {
		generation, err := group.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		f.tell(err)
		if err != nil {
			if time.Since(said) >= complainEvery {
				f.log.Warn("cannot join the consumer group, will try again until it works", "group", f.cfg.Group, "error", err)
				said = time.Now()
			}
			continue
		}
		said = time.Time{}
		if err := f.serve(ctx, generation, handler); err != nil {
			return err
		}
	}
}

// complainEvery is how often the same trouble is told.
const complainEvery = time.Minute

func (f *Feed) tell(err error) {
	if f.cfg.Trouble != nil {
		f.cfg.Trouble(err)
	}
}

// serve handles batches for as long as a generation of the group lasts.
func (f *Feed) serve(ctx context.Context, generation *kafka.Generation, handler Handler) error {
	assignments := generation.Assignments[f.cfg.Topic]
	partitions := make([]int, len(assignments))
	for i, a := range assignments {
		partitions[i] = a.ID
	}
	f.log.Info("partitions assigned", "group", f.cfg.Group, "generation", generation.ID, "partitions", partitions)

	done := make(chan error, 1)
	generation.Start(func(lasting context.Context) {
		reading, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(lasting, stop)()
		if err := handler.Assigned(reading, partitions); err != nil {
			if reading.Err() != nil {
				err = nil
			}
			done <- err
			return
		}
		done <- f.consume(reading, generation, handler)
	})
	return <-done
}

// consume runs inside a generation: the group does not move on before it returns. It reads until ctx ends.
func (f *Feed) consume(ctx context.Context, generation *kafka.Generation, handler Handler) error {
	reading, stop := context.WithCancel(ctx)

	in := newIntake(f.cfg, f.log)
	in.start(reading, generation.Assignments[f.cfg.Topic])
	defer func() {
		stop()
		in.wait()
	}()

	batches := in.batches(reading)
	for {
		batch, ok := <-batches
		if !ok {
			return nil // the generation or the program ends; what was gathered is not committed and comes again
		}
		// The batch is finished even while the feed stops: what is stored but not committed would be done twice.
		work, cancel := outlast(reading, f.cfg.Grace)
		err := handler.Handle(work, batch)
		cancel()
		if err != nil && reading.Err() != nil {
			f.log.Warn("batch given up, its records will come again", "records", len(batch.Records), "error", err)
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.commit(generation, batch); err != nil {
			return nil
		}
	}
}

// outlast gives a context that ends a while after the given one does.
func outlast(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// commit tells the group how far the batch came. It is refused when the partitions have been given to others
// meanwhile; the batch then comes to them again, which the tables bear.
func (f *Feed) commit(generation *kafka.Generation, batch Batch) error {
	offsets := map[int]int64{}
	for _, mark := range batch.Marks {
		offsets[mark.Partition] = mark.Next
	}
	err := generation.CommitOffsets(map[string]map[int]int64{f.cfg.Topic: offsets})
	if err == nil {
		return nil
	}
	f.log.Warn("offsets not committed, the records will come again", "group", f.cfg.Group, "error", err)
	return err
}

// complain passes on what the client has to say, at a level that does not cry wolf: it retries by itself.
func (f *Feed) complain(format string, args ...any) {
	for _, a := range args {
		if err, ok := a.(error); ok && errors.Is(err, context.Canceled) {
			return
		}
	}
	f.log.Debug("kafka client", "message", fmt.Sprintf(format, args...))
}
