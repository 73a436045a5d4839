// Package broker runs the embedded Kafka protocol broker on loopback with its data in a directory.
package broker

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Options says where the broker listens and keeps its data.
type Options struct {
	// Addr is host:port; port 0 picks one.
	Addr string
	// Dir holds topics, records and groups.
	Dir string
	// Partitions is how many a topic gets that is made on first use.
	Partitions int
	Log        *slog.Logger
}

// Broker is the running broker, a cluster of one node.
type Broker struct{ cluster *kfake.Cluster }

// Open starts the broker on what its directory holds. A record is written to its file before it is acknowledged, so it
// outlives the process however that ends; like a Kafka broker by default it does not wait for the disk.
func Open(o Options) (*Broker, error) {
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.ClusterID("errata-devstack"),
		kfake.DataDir(o.Dir),
		kfake.AllowAutoTopicCreation(),
		kfake.DefaultNumPartitions(o.Partitions),
		// A killed consumer must not hold up those who kill it on purpose.
		kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"default.replication.factor": "1"}),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) { return net.Listen(network, o.Addr) }),
		kfake.WithLogger(logger{o.Log}),
	)
	if err != nil {
		return nil, fmt.Errorf("start the embedded Kafka broker on %s with %s: %w", o.Addr, o.Dir, err)
	}
	return &Broker{cluster: cluster}, nil
}

// Addr is where clients reach the broker.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Close stops the broker and writes down what it holds.
func (b *Broker) Close() { b.cluster.Close() }

// logger passes the broker's messages on.
type logger struct{ log *slog.Logger }

// Logf writes one message at slog's level for it.
func (l logger) Logf(level kfake.LogLevel, format string, args ...any) {
	to := slog.LevelDebug
	switch level {
	case kfake.LogLevelError:
		to = slog.LevelError
	case kfake.LogLevelWarn:
		to = slog.LevelWarn
	}
	ctx := context.Background()
	if l.log.Enabled(ctx, to) {
		l.log.Log(ctx, to, fmt.Sprintf(format, args...), "part", "kafka")
	}
}
