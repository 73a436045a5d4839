package settings

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	saslplain "github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Kafka is where transcripts come from, and how the cluster is reached.
type Kafka struct {
	brokers, topic                *string
	tls                           *bool
	ca                            *string
	mechanism, username, password *string
}

// Kafka declares the settings that say where the topic is and how to log in.
func (s *Set) Kafka() Kafka {
	return Kafka{
		brokers: s.String("kafka-brokers", "ERRATA_KAFKA_BROKERS", "127.0.0.1:9092", "the cluster's brokers, comma-separated host:port"),
		topic:   s.String("kafka-topic", "ERRATA_KAFKA_TOPIC", "agent.transcripts", "the topic with the transcripts"),
		tls:     s.Bool("kafka-tls", "ERRATA_KAFKA_TLS", false, "reach the brokers by TLS"),
		ca: s.String("kafka-tls-ca", "ERRATA_KAFKA_TLS_CA", "",
			"file with the certificates, in PEM, of who may vouch for the brokers, by TLS; empty: the system's"),
		mechanism: s.String("kafka-sasl-mechanism", "ERRATA_KAFKA_SASL_MECHANISM", "",
			"how to log in: plain, scram-sha-256 or scram-sha-512; empty: not at all"),
		username: s.String("kafka-sasl-username", "ERRATA_KAFKA_SASL_USERNAME", "", "who logs in"),
		password: s.Secret("kafka-sasl-password", "ERRATA_KAFKA_SASL_PASSWORD", "", "with which password; better by the environment than by the flag"),
	}
}

// Brokers gives the broker addresses.
func (k Kafka) Brokers() []string {
	var out []string
	for part := range strings.SplitSeq(*k.brokers, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Topic gives the topic's name.
func (k Kafka) Topic() string { return *k.topic }

// Connection is how clients reach the cluster: two forms of the same, since the client library has two.
type Connection struct {
	Dialer    *kafka.Dialer
	Transport *kafka.Transport
}

// Connect gives how to reach the cluster. Settings that do not go together are a UsageError.
func (k Kafka) Connect() (Connection, error) {
	if len(k.Brokers()) == 0 {
		return Connection{}, Usagef("-kafka-brokers is empty: give host:port of a broker")
	}
	security, err := k.security()
	if err != nil {
		return Connection{}, err
	}
	mechanism, err := k.login()
	if err != nil {
		return Connection{}, err
	}
	return Connection{
		Dialer:    &kafka.Dialer{Timeout: 10 * time.Second, DualStack: true, TLS: security, SASLMechanism: mechanism},
		Transport: &kafka.Transport{TLS: security, SASL: mechanism},
	}, nil
}

// security gives what TLS needs; nil where it is not wanted.
func (k Kafka) security() (*tls.Config, error) {
	if !*k.tls && *k.ca == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	text, err := ReadFile("kafka-tls-ca", *k.ca)
	if err != nil || text == nil {
		return config, err
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, Usagef("-kafka-tls-ca %s: there is no certificate in it: give a file with blocks of BEGIN CERTIFICATE", *k.ca)
	}
	return config, nil
}

// login gives how to log in; nil where nobody does.
func (k Kafka) login() (sasl.Mechanism, error) {
	if *k.mechanism == "" {
		if *k.username != "" || *k.password != "" {
			return nil, Usagef("-kafka-sasl-username and -kafka-sasl-password need -kafka-sasl-mechanism: plain, scram-sha-256 or scram-sha-512")
		}
		return nil, nil
	}
	if *k.username == "" {
		return nil, Usagef("-kafka-sasl-mechanism %s needs -kafka-sasl-username", *k.mechanism)
	}
	algorithms := map[string]scram.Algorithm{"scram-sha-256": scram.SHA256, "scram-sha-512": scram.SHA512}
	switch name := strings.ToLower(*k.mechanism); name {
	case "plain":
		return saslplain.Mechanism{Username: *k.username, Password: *k.password}, nil
	case "scram-sha-256", "scram-sha-512":
		mechanism, err := scram.Mechanism(algorithms[name], *k.username, *k.password)
		if err != nil {
			return nil, Usagef("-kafka-sasl-username or -kafka-sasl-password cannot be used with %s: %v", name, err)
		}
		return mechanism, nil
	}
	return nil, Usagef("-kafka-sasl-mechanism is %q: give plain, scram-sha-256 or scram-sha-512", *k.mechanism)
}
