package realkafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// protocol is the broker's name for how clients reach it.
func (o Options) protocol() string {
	switch {
	case o.TLS && o.SASL:
		return "SASL_SSL"
	case o.TLS:
		return "SSL"
	case o.SASL:
		return "SASL_PLAINTEXT"
	}
	return "PLAINTEXT"
}

// configure writes the broker's settings and, for TLS, a certificate of its own.
func (b *Broker) configure(controller string) error {
	protocol := b.opts.protocol()
	lines := []string{
		"process.roles=broker,controller",
		"node.id=1",
		"controller.quorum.voters=1@" + controller,
		"listeners=CLIENTS://" + b.Addr + ",CONTROLLER://" + controller,
		"advertised.listeners=CLIENTS://" + b.Addr,
		"inter.broker.listener.name=CLIENTS",
		"controller.listener.names=CONTROLLER",
		"listener.security.protocol.map=CLIENTS:" + protocol + ",CONTROLLER:PLAINTEXT",
		"log.dirs=" + b.file("data"),
		"offsets.topic.replication.factor=1",
		"offsets.topic.num.partitions=1",
		"transaction.state.log.replication.factor=1",
		"transaction.state.log.min.isr=1",
		"group.initial.rebalance.delay.ms=0",
	}
	if b.opts.SASL {
		plain := fmt.Sprintf(`org.apache.kafka.common.security.plain.PlainLoginModule required username="%s" password="%s" user_%s="%s";`, User, Password, User, Password)
		lines = append(lines,
			"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256",
			"sasl.mechanism.inter.broker.protocol=PLAIN",
			"listener.name.clients.plain.sasl.jaas.config="+plain,
			"listener.name.clients.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;",
		)
	}
	if b.opts.TLS {
		if err := b.certify(); err != nil {
			return err
		}
		lines = append(lines,
			"ssl.keystore.type=PEM", "ssl.keystore.location="+b.file("broker.pem"),
			"ssl.truststore.type=PEM", "ssl.truststore.location="+b.file("ca.pem"),
			"ssl.endpoint.identification.algorithm=",
		)
	}
	for name, value := range b.opts.Settings {
		lines = append(lines, name+"="+value)
	}
	if err := os.WriteFile(b.file("server.properties"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the broker's settings: %w", err)
	}
	return nil
}

// certify makes a self-signed certificate for loopback.
func (b *Broker) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode the key: %w", err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), public...)
	if err := os.WriteFile(b.file("broker.pem"), both, 0o600); err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	return os.WriteFile(b.file("ca.pem"), public, 0o600)
}

// TLS is what a client needs to trust the broker; nil where it speaks plainly.
func (b *Broker) TLS(t testing.TB) *tls.Config {
	t.Helper()
	if !b.opts.TLS {
		return nil
	}
	public, err := os.ReadFile(b.file("ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// CAFile names the file with the certificate that a client must trust.
func (b *Broker) CAFile() string { return b.file("ca.pem") }

// Mechanism is how a client logs in; nil where nobody must.
func (b *Broker) Mechanism(t testing.TB) sasl.Mechanism {
	t.Helper()
	if !b.opts.SASL {
		return nil
	}
	mechanism, err := scram.Mechanism(scram.SHA256, User, Password)
	if err != nil {
		t.Fatal(err)
	}
	return mechanism
}

// Transport reaches the broker as its options say.
func (b *Broker) Transport(t testing.TB) *kafka.Transport {
	t.Helper()
	return &kafka.Transport{TLS: b.TLS(t), SASL: b.Mechanism(t)}
}

// Dialer reaches the broker as its options say.
func (b *Broker) Dialer(t testing.TB) *kafka.Dialer {
	t.Helper()
	return &kafka.Dialer{Timeout: 10 * time.Second, TLS: b.TLS(t), SASLMechanism: b.Mechanism(t)}
}
