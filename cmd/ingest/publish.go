package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/settings"
	"errata/pipeline/format/dialect"
)

// batchBytes is the size of a batch that brokers take by default. A record that is larger goes alone, in the hope that it
// becomes small enough when it is packed, or that the broker takes more.
const batchBytes = 1 << 20

// publisher writes records to the topic and returns once all replicas have them.
type publisher struct {
	writer, large *kafka.Writer
}

func newPublisher(target settings.Kafka, cluster settings.Connection) *publisher {
	writer := func(bytes, size int) *kafka.Writer {
		return &kafka.Writer{
			Addr:         kafka.TCP(target.Brokers()...),
			Topic:        target.Topic(),
			Balancer:     kafka.Murmur2Balancer{Consistent: true}, // as the Java client: one run, one partition, whoever writes
			RequiredAcks: kafka.RequireAll,
			Compression:  kafka.Zstd,
			BatchBytes:   int64(bytes),
			BatchSize:    size,
			BatchTimeout: 5 * time.Millisecond,
			Transport:    cluster.Transport,
		}
	}
	return &publisher{writer: writer(batchBytes, 1000), large: writer(1<<30, 1)}
}

func (p *publisher) close() {
	// Everything was acknowledged or reported before, so there is nothing left that closing could lose.
	_ = p.writer.Close()
	_ = p.large.Close()
}

// publish writes parts in their order and tells how many are done.
func (p *publisher) publish(ctx context.Context, parts []dialect.Part, done func(int)) error {
	const together = 2000
	var messages []kafka.Message
	flush := func() error {
		if len(messages) == 0 {
			return nil
		}
		err := p.writer.WriteMessages(ctx, messages...)
		messages = messages[:0]
		return explain(err)
	}
	for i, part := range parts {
		message := messageOf(part)
		if isLarge(message) {
			if err := flush(); err != nil {
				return err
			}
			if err := p.large.WriteMessages(ctx, message); err != nil {
				return fmt.Errorf("record of %d bytes of run %q: %w", len(part.Value), part.Key, explain(err))
			}
		} else {
			messages = append(messages, message)
		}
		if len(messages) == together || i == len(parts)-1 {
			if err := flush(); err != nil {
				return err
			}
			done(i + 1)
		}
	}
	return nil
}

// isLarge tells a record that does not fit into a batch. The margin is what a record costs beside its parts.
func isLarge(message kafka.Message) bool {
	size := len(message.Key) + len(message.Value) + 64
	for _, header := range message.Headers {
		size += len(header.Key) + len(header.Value) + 16
	}
	return size > batchBytes
}

func messageOf(part dialect.Part) kafka.Message {
	message := kafka.Message{Key: []byte(part.Key), Value: part.Value}
	for _, name := range slices.Sorted(maps.Keys(part.Headers)) {
		message.Headers = append(message.Headers, kafka.Header{Key: name, Value: []byte(part.Headers[name])})
	}
	return message
}

// explain makes one error of those that a batch of records had.
func explain(err error) error {
	var several kafka.WriteErrors
	if !errors.As(err, &several) {
		return err
	}
	for _, single := range several {
		if single != nil {
			return fmt.Errorf("%d records were not taken, the first because: %w", several.Count(), single)
		}
	}
	return err
}

// progress shows how far sending is, on a terminal only.
type progress struct {
	out   io.Writer
	files int
	shown bool
}

func newProgress(out io.Writer, files int) *progress {
	file, ok := out.(*os.File)
	if !ok {
		return &progress{}
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progress{}
	}
	return &progress{out: file, files: files}
}

func (p *progress) show(files, records int) {
	if p.out == nil {
		return
	}
	fmt.Fprintf(p.out, "\rfile %d of %d, %d records sent\x1b[K", files, p.files, records)
	p.shown = true
}

// clear removes the line, so that others can be written.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
