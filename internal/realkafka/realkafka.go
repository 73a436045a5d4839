// Package realkafka runs an Apache Kafka broker (KRaft mode, from its Maven artefacts, on Java) for tests: the embedded
// broker must not be the only one that the feed has met.
package realkafka

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

// RequireEnv makes missing Java or Maven a failure where it is "1"; otherwise the tests that need Apache Kafka skip.
const RequireEnv = "ERRATA_REQUIRE_KAFKA"

// clusterID is any base64 UUID; every test has a data folder of its own.
const clusterID = "MkU3OEVBNTcwNTJENDM2Qk"

// User and Password are who may log in at a broker with SASL, by PLAIN or SCRAM-SHA-256.
const (
	User     = "errata"
	Password = "open sesame"
)

// Options say how a broker may be reached.
type Options struct {
	TLS, SASL bool
	Settings  map[string]string // further settings of the broker
}

// Broker is a running broker of one test.
type Broker struct {
	Addr string
	dir  string
	opts Options
	cmd  *exec.Cmd
	done chan struct{}
}

// Start runs a broker until the test ends. Where Java or Maven is missing the test skips, or fails where
// ERRATA_REQUIRE_KAFKA=1.
func Start(t testing.TB, opts Options) *Broker {
	t.Helper()
	path, err := classpath()
	if err != nil {
		if os.Getenv(RequireEnv) == "1" {
			t.Fatal(err)
		}
		t.Skipf("no Apache Kafka: %v", err)
	}
	b := &Broker{dir: t.TempDir(), opts: opts, Addr: freeAddr(t)}
	if err := b.configure(freeAddr(t)); err != nil {
		t.Fatal(err)
	}
	format := []string{"kafka.tools.StorageTool", "format", "-t", clusterID, "-c", b.file("server.properties")}
	if opts.SASL {
		format = append(format, "--add-scram", fmt.Sprintf("SCRAM-SHA-256=[name=%s,password=%s]", User, Password))
	}
	if out, err := java(path, format...).CombinedOutput(); err != nil {
		t.Fatalf("format the broker's folder: %v\n%s", err, out)
	}
	b.Resume(t)
	t.Cleanup(func() { b.Kill() })
	return b
}

// Resume starts the broker again where it was, after Kill or Stop.
func (b *Broker) Resume(t testing.TB) {
	t.Helper()
	path, err := classpath()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(b.file("log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	b.cmd = java(path, "kafka.Kafka", b.file("server.properties"))
	b.cmd.Stdout, b.cmd.Stderr = log, log
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		log.Close()
		close(done)
	}(b.cmd, b.done)
	b.await(t)
}

// Kill ends the broker at once, as a crash does.
func (b *Broker) Kill() {
	_ = b.cmd.Process.Kill()
	<-b.done
}

// Stop ends the broker as an administrator does.
func (b *Broker) Stop() {
	_ = b.cmd.Process.Signal(os.Interrupt)
	<-b.done
}

// Topic makes a topic.
func (b *Broker) Topic(t testing.TB, name string, partitions int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client := &kafka.Client{Addr: kafka.TCP(b.Addr), Transport: b.Transport(t)}
	made, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{Topic: name, NumPartitions: partitions, ReplicationFactor: 1}}})
	if err == nil {
		err = made.Errors[name]
	}
	if err != nil {
		t.Fatalf("make topic %s: %v", name, err)
	}
}

// await returns once the broker answers.
func (b *Broker) await(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	client := &kafka.Client{Addr: kafka.TCP(b.Addr), Transport: b.Transport(t), Timeout: 5 * time.Second}
	for {
		_, err := client.Metadata(context.Background(), &kafka.MetadataRequest{Topics: []string{}})
		if err == nil {
			return
		}
		select {
		case <-b.done:
			t.Fatalf("the broker ended:\n%s", b.logTail())
		case <-time.After(200 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the broker does not answer: %v\n%s", err, b.logTail())
		}
	}
}

func (b *Broker) logTail() string {
	text, _ := os.ReadFile(b.file("log"))
	return string(text[max(0, len(text)-3000):])
}

func (b *Broker) file(name string) string { return filepath.Join(b.dir, name) }

func java(classpath string, args ...string) *exec.Cmd {
	return exec.Command("java", append([]string{"-Xmx384m", "-XX:+UseSerialGC", "-cp", classpath}, args...)...)
}

// classpath asks Maven for Kafka's jars, once for each test binary.
var classpath = sync.OnceValues(func() (string, error) {
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", fmt.Errorf("%s is missing: install Java 17 and Maven", program)
		}
	}
	_, here, _, _ := runtime.Caller(0)
	target, err := os.CreateTemp("", "kafka-classpath-*")
	if err != nil {
		return "", fmt.Errorf("make a file for the classpath: %w", err)
	}
	target.Close()
	defer os.Remove(target.Name())
	cmd := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(filepath.Dir(here), "pom.xml"),
		"dependency:build-classpath", "-Dmdep.outputFile="+target.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch Apache Kafka with Maven: %w\n%s", err, out)
	}
	text, err := os.ReadFile(target.Name())
	if err != nil {
		return "", fmt.Errorf("read the classpath: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
})

func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
