package feed_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
)

// A record that is larger than the largest that ingest wants comes all the same, so that it can be rejected with its
// reason, and those behind it come too.
func aRecordBeyondWhatIsFetched(t *testing.T, b broker) {
	topic := "large" + fmt.Sprint(time.Now().UnixNano())
	client := &kafka.Client{Addr: kafka.TCP(b.addrs...), Transport: b.transport}
	made, err := client.CreateTopics(t.Context(), &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: topic, NumPartitions: 1, ReplicationFactor: 1,
		ConfigEntries: []kafka.ConfigEntry{{ConfigName: "max.message.bytes", ConfigValue: "20000000"}},
	}}})
	if err != nil || made.Errors[topic] != nil {
		t.Fatal(err, made.Errors[topic])
	}
	for _, codec := range []kafka.Compression{0, compress.Zstd} {
		w := &kafka.Writer{Addr: kafka.TCP(b.addrs...), Topic: topic, Compression: codec, BatchBytes: 30 << 20, BatchSize: 1, Transport: b.transport, RequiredAcks: kafka.RequireAll}
		for _, size := range []int{10, 5 << 20, 20} {
			value := make([]byte, size)
			for i := range value {
				value[i] = byte(i * i >> 8)
			}
			for attempt := 0; ; attempt++ { // a topic just made has no leader yet
				err := w.WriteMessages(t.Context(), kafka.Message{Value: value})
				if err == nil {
					break
				}
				if attempt > 50 {
					t.Fatal(err)
				}
				time.Sleep(100 * time.Millisecond)
			}
		}
		w.Close()
	}
	cfg := b.config(topic, topic)
	cfg.MaxRecord = 64 << 10
	k := consume(t, cfg, 6)
	var sizes []int
	for _, r := range k.records {
		sizes = append(sizes, len(r.Value))
	}
	if want := "[10 5242880 20 10 5242880 20]"; fmt.Sprint(sizes) != want {
		t.Errorf("sizes %v, want %s", sizes, want)
	}
}
