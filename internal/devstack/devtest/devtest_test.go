package devtest_test

import (
	"context"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
)

func TestClickHouseGivesADatabaseOfItsOwn(t *testing.T) {
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var name string
	if err := conn.QueryRow(context.Background(), "SELECT currentDatabase()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if name != options.Auth.Database {
		t.Errorf("current database %q, want %q", name, options.Auth.Database)
	}
}

func TestKafkaMakesTopics(t *testing.T) {
	brokers := devtest.Kafka(t)
	if a, b := devtest.Topic(t, brokers, 2), devtest.Topic(t, brokers, 2); a == b {
		t.Errorf("two topics of one name %q", a)
	}
}
