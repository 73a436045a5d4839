// Package devstack runs Errata's surroundings in one process on loopback: a Kafka protocol broker and a ClickHouse engine
// behind ClickHouse's HTTP interface, with their data in one directory.
package devstack

import (
	"fmt"
	"io"
	"net"
	"strconv"
)

// Off leaves a part out.
const Off = "off"

// Config says what to run.
type Config struct {
	// Dir holds the data of both parts.
	Dir string
	// Kafka is the broker's address, or Off.
	Kafka string
	// ClickHouse is the HTTP interface's address, or Off.
	ClickHouse string
	// Ready is a file that appears once all answer, with the addresses as environment variables; "" for none.
	Ready string
	// Engine is the path of the engine's library; "" looks for it.
	Engine string
	// Partitions is how many partitions a topic gets that is made on first use.
	Partitions int
}

// DefaultConfig is what runs without any flag.
func DefaultConfig() Config {
	return Config{Dir: ".errata", Kafka: "127.0.0.1:9092", ClickHouse: "127.0.0.1:8123", Partitions: 4}
}

// Validate says in one line which flag is wrong and how to mend it.
func (c Config) Validate() error {
	if c.Dir == "" {
		return fmt.Errorf("-dir is empty: name a folder for the data, for example -dir .errata")
	}
	if c.Kafka == Off && c.ClickHouse == Off {
		return fmt.Errorf("-kafka off and -clickhouse off leave nothing to run: leave out one of them")
	}
	if c.Partitions < 1 || c.Partitions > 1000 {
		return fmt.Errorf("-partitions %d: give a number from 1 to 1000", c.Partitions)
	}
	if err := validAddr("-kafka", c.Kafka); err != nil {
		return err
	}
	return validAddr("-clickhouse", c.ClickHouse)
}

// validAddr holds the parts on loopback, since neither asks for a password.
func validAddr(flag, addr string) error {
	if addr == Off {
		return nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%s %s: give host:port, for example 127.0.0.1:0, or off", flag, addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s %s: the port is a number from 0 to 65535; 0 picks a free one", flag, addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s %s: devstack has no passwords and listens on loopback only; use 127.0.0.1:%s", flag, addr, port)
	}
	return nil
}

// Print writes the settings as they are in force.
func (c Config) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "dir=%s\nkafka=%s\nclickhouse=%s\nready=%s\nengine=%s\npartitions=%d\n", c.Dir, c.Kafka, c.ClickHouse, c.Ready, c.Engine, c.Partitions)
	return err
}
