// Package devtest gives tests a real ClickHouse engine and a Kafka protocol broker. They run in child processes, so that a
// test can kill them, and so that neither the race detector nor a crash of the test meets the engine's own threads.
package devtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/devstack/engine"
)

// RequireEnv makes a missing engine a failure where it is "1"; otherwise the tests that need it skip.
const RequireEnv = "ERRATA_REQUIRE_ENGINE"

// The two stacks that all tests of a test binary share. They start with the first test that asks, and end with the binary.
var (
	sharedClickHouse = sync.OnceValues(func() (*Stack, error) { return start(temporary(Options{NoKafka: true})) })
	sharedKafka      = sync.OnceValues(func() (*Stack, error) { return start(temporary(Options{NoClickHouse: true})) })
)

// ClickHouse gives the DSN of a fresh database with a random name, which is dropped when the test ends. All tests of a test
// binary share one engine. Where the engine's library is missing the test skips, or fails where ERRATA_REQUIRE_ENGINE=1.
func ClickHouse(t testing.TB) string {
	t.Helper()
	NeedEngine(t)
	stack, err := sharedClickHouse()
	if err != nil {
		t.Fatal(err)
	}
	name := "test_" + random()
	base := strings.TrimSuffix(stack.DSN, "/errata")
	execute(t, base, "CREATE DATABASE "+name)
	t.Cleanup(func() { execute(t, base, "DROP DATABASE IF EXISTS "+name+" SYNC") })
	return base + "/" + name
}

// Kafka gives the addresses of a broker that all tests of a test binary share. Each test should use topics and groups of its
// own; Topic makes one.
func Kafka(t testing.TB) []string {
	t.Helper()
	stack, err := sharedKafka()
	if err != nil {
		t.Fatal(err)
	}
	return stack.Brokers
}

// Topic makes a topic with a random name on the broker.
func Topic(t testing.TB, brokers []string, partitions int) string {
	t.Helper()
	name := "test-" + random()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	client := &kafka.Client{Addr: kafka.TCP(brokers...)}
	made, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: name, NumPartitions: partitions, ReplicationFactor: 1}},
	})
	if err != nil {
		t.Fatalf("make topic %s: %v", name, err)
	}
	if err := made.Errors[name]; err != nil {
		t.Fatalf("make topic %s: %v", name, err)
	}
	return name
}

// NeedEngine skips the test where the engine's library is missing, or fails it where ERRATA_REQUIRE_ENGINE=1.
func NeedEngine(t testing.TB) {
	t.Helper()
	_, err := engine.Locate(os.Getenv("ERRATA_ENGINE"))
	switch {
	case err == nil:
	case os.Getenv(RequireEnv) == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// FreeAddr is a loopback address that nothing listens on now, for a stack that must come back where it was.
func FreeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// execute runs one statement over HTTP, without the client under test.
func execute(t testing.TB, base, statement string) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Post(base+"/?"+url.Values{"query_id": {random()}}.Encode(), "text/plain", strings.NewReader(statement))
	if err != nil {
		t.Errorf("%s: %v", statement, err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: status %s", statement, strconv.Itoa(resp.StatusCode))
	}
}
