package feed_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

// slowly delays each answer of a broker.
type slowly struct {
	net.Conn
	asked atomic.Bool
}

func (c *slowly) Write(b []byte) (int, error) {
	c.asked.Store(true)
	return c.Conn.Write(b)
}

func (c *slowly) Read(b []byte) (int, error) {
	if c.asked.Swap(false) {
		time.Sleep(400 * time.Millisecond)
	}
	return c.Conn.Read(b)
}

// A broker, or a process, that takes its time for an answer is waited for: an answer that is given up is asked for again
// from its beginning, and where every answer is as slow nothing would ever come.
func aSlowBrokerIsWaitedFor(t *testing.T, b broker) {
	topic := b.topic(t, 1)
	b.send(t, topic, 0, numbered(20, 3)...)
	dialer := kafka.Dialer{Timeout: 10 * time.Second}
	if b.dialer != nil {
		dialer = *b.dialer
	}
	dialer.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &slowly{Conn: conn}, nil
	}
	cfg := b.config(topic, topic)
	cfg.Dialer = &dialer
	if k := consume(t, cfg, 20); len(k.records) != 20 {
		t.Errorf("%d records, want 20", len(k.records))
	}
}
