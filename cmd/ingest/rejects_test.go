package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/segmentio/kafka-go"

	"errata/internal/devstack/devtest"
	"errata/internal/realkafka"
	"errata/internal/settings"
	"errata/pipeline/feed"
)

// cluster is a broker with the settings by which it is reached.
type cluster struct {
	env        map[string]string
	connection settings.Connection
}

func (c cluster) run(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code := dispatch(ctx, args, world{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(name string) string { return c.env[name] }})
	return code, out.String(), errs.String()
}

func (c cluster) brokers() []string { return []string{c.env["ERRATA_KAFKA_BROKERS"]} }

// connect makes the connection that the environment says.
func connect(t *testing.T, env map[string]string) cluster {
	t.Helper()
	env["ERRATA_KAFKA_TOPIC"] = topic
	set := settings.New("test", "", func(name string) string { return env[name] })
	kafka := set.Kafka()
	if _, err := set.Parse(nil, &bytes.Buffer{}, ""); err != nil {
		t.Fatal(err)
	}
	connection, err := kafka.Connect()
	if err != nil {
		t.Fatal(err)
	}
	return cluster{env, connection}
}

func TestRejectsOnTheEmbeddedBroker(t *testing.T) {
	c := connect(t, map[string]string{"ERRATA_KAFKA_BROKERS": startBroker(t)})
	rejectsAreListedAndSentAgain(t, c)
	whatIsSentAgainCountsOnce(t, c)
}

// On Apache Kafka by TLS and with a password, which covers these settings too.
func TestRejectsOnApacheKafkaWithTLSAndSASL(t *testing.T) {
	b := realkafka.Start(t, realkafka.Options{TLS: true, SASL: true})
	for _, mechanism := range []string{"plain", "scram-sha-256"} {
		c := connect(t, map[string]string{
			"ERRATA_KAFKA_BROKERS": b.Addr, "ERRATA_KAFKA_TLS": "true", "ERRATA_KAFKA_TLS_CA": b.CAFile(),
			"ERRATA_KAFKA_SASL_MECHANISM": mechanism, "ERRATA_KAFKA_SASL_USERNAME": realkafka.User, "ERRATA_KAFKA_SASL_PASSWORD": realkafka.Password,
		})
		if mechanism == "plain" {
			rejectsAreListedAndSentAgain(t, c)
		}
		if code, out, errs := c.run(t, "rejects"); code != 0 || !strings.Contains(out, "4 records on") {
			t.Errorf("%s: exit code %d, %s%s", mechanism, code, out, errs)
		}
	}
	wrong := connect(t, map[string]string{
		"ERRATA_KAFKA_BROKERS": b.Addr, "ERRATA_KAFKA_TLS": "true", "ERRATA_KAFKA_TLS_CA": b.CAFile(),
		"ERRATA_KAFKA_SASL_MECHANISM": "plain", "ERRATA_KAFKA_SASL_USERNAME": realkafka.User, "ERRATA_KAFKA_SASL_PASSWORD": "wrong",
	})
	if code, _, errs := wrong.run(t, "rejects"); code != 1 || !strings.Contains(errs, "SASL") {
		t.Errorf("with a wrong password: exit code %d, %q", code, errs)
	}
}

func rejectsAreListedAndSentAgain(t *testing.T, c cluster) {
	ctx := t.Context()
	admin := feed.NewAdmin(c.brokers(), c.connection.Transport)
	for _, name := range []string{topic, feed.RejectsTopic(topic)} {
		if err := admin.CreateTopic(ctx, name, 2); err != nil {
			t.Fatal(err)
		}
	}
	w := feed.NewRejectWriter(c.brokers(), topic, c.connection.Transport)
	defer w.Close()
	came := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	mended := feed.Rejected{Reason: "unknown_format", Message: "m", Record: feed.Record{
		Partition: 1, Offset: 7, Key: []byte("r1"), Value: []byte(envelope("r1", `{"role":"user","content":"a"}`)), Time: came,
		Headers: map[string]string{"errata-ended": "true"}, Foreign: []feed.Header{{Key: "traceparent", Value: []byte("x")}},
	}}
	bad := feed.Rejected{Reason: "malformed_json", Message: "m", Record: feed.Record{Offset: 8, Value: []byte("{bad"), Time: came}}
	large := feed.Rejected{Reason: "too_large", Message: "m", Record: feed.Record{Offset: 9, Value: bytes.Repeat([]byte("x"), 3<<20), Time: came}}
	write := func() error { return w.Write(ctx, []feed.Rejected{mended, bad, large, mended}) }
	for attempt := 0; ; attempt++ { // a topic just made has no leader yet
		err := write()
		if err == nil {
			break
		}
		if attempt > 50 {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	f := func(want []string, args ...string) string {
		t.Helper()
		code, out, errs := c.run(t, append([]string{"rejects"}, args...)...)
		for _, text := range want {
			if code != 0 || !strings.Contains(out, text) {
				t.Errorf("%q: exit code %d, want %q in\n%s%s", args, code, text, out, errs)
			}
		}
		return out
	}
	list := f([]string{"4 records on transcripts.rejected", `unknown_format  key "r1"  from transcripts/1/7`, "malformed_json", "3145728 bytes"})
	f([]string{"1 records on"}, "-reason", "malformed_json")
	for line := range strings.Lines(list) {
		place, _, _ := strings.Cut(line, "  ")
		if strings.Contains(line, "unknown_format") {
			f([]string{"it can be read", "offset 7, 2026-11-01T10:00:00Z", "errata-ended: true"}, "-explain", place)
		}
		if strings.Contains(line, "malformed_json") {
			f([]string{"rejected again: byte 1: malformed_json"}, "-explain", place)
		}
	}
	f([]string{"1 records sent again to transcripts; 1 were there more than once; 1 would be rejected again; of 1 only"}, "-resend")
	got := c.sentAgain(t)
	if len(got) != 1 {
		t.Fatalf("%d records were sent", len(got))
	}
	m := got[0]
	if string(m.Key) != "r1" || !bytes.Equal(m.Value, mended.Record.Value) || !m.Time.Equal(came) ||
		fmt.Sprint(m.Headers) != fmt.Sprint([]kafka.Header{{Key: "traceparent", Value: []byte("x")}, {Key: "errata-ended", Value: []byte("true")}}) {
		t.Errorf("sent again: key %q, %s, headers %s, value %s", m.Key, m.Time, m.Headers, m.Value)
	}
}

// sentAgain gives everything on the topic.
func (c cluster) sentAgain(t *testing.T) []kafka.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ends, err := feed.NewAdmin(c.brokers(), c.connection.Transport).Ends(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	var out []kafka.Message
	for partition, end := range ends {
		reader := kafka.NewReader(kafka.ReaderConfig{Brokers: c.brokers(), Topic: topic, Partition: partition, Dialer: c.connection.Dialer, MaxWait: 100 * time.Millisecond})
		defer reader.Close()
		for range end {
			message, err := reader.ReadMessage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, message)
		}
	}
	return out
}

// whatIsSentAgainCountsOnce: the tables are the same after the records were sent again once more.
func whatIsSentAgainCountsOnce(t *testing.T, c cluster) {
	c.env["ERRATA_CLICKHOUSE_DSN"] = devtest.ClickHouse(t)
	options, err := clickhouse.ParseDSN(c.env["ERRATA_CLICKHOUSE_DSN"])
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var states []string
	for range 2 {
		if code, _, errs := c.run(t, "run", "-until-caught-up"); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		var state string
		if err := conn.QueryRow(t.Context(), "SELECT toString(groupArray(tuple(* EXCEPT stored_at))) FROM runs FINAL").Scan(&state); err != nil {
			t.Fatal(err)
		}
		states = append(states, state)
		if code, _, errs := c.run(t, "rejects", "-resend"); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	if !strings.Contains(states[0], "'r1'") || len(slices.Compact(states)) != 1 {
		t.Errorf("after sending again:\n%s", strings.Join(states, "\n"))
	}
}

func TestRejectsUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, errs := run(t, "", append([]string{"rejects"}, args...)...)
		if code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q exits %d and says %q, want 2 and one line with %q", args, code, errs, want)
		}
	}
	f("-force", "-force")
	f("takes no arguments", "x")
	f("scram-sha-512", "-kafka-sasl-mechanism", "kerberos", "-kafka-sasl-username", "u")
	f("-kafka-sasl-username", "-kafka-sasl-mechanism", "plain")
	f("-kafka-sasl-mechanism", "-kafka-sasl-username", "u")
	f("no certificate", "-kafka-tls-ca", "rejects_test.go")
	f("can be read", "-kafka-tls-ca", "missing.pem")
}
