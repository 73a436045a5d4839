package main

import (
	"strings"
	"testing"

	"errata/internal/devstack/devtest"
)

// A deleted run is gone from every table, and neither its next records nor reading the topic again brings it back.
func TestDelete(t *testing.T) {
	c := connect(t, map[string]string{"ERRATA_KAFKA_BROKERS": startBroker(t), "ERRATA_CLICKHOUSE_DSN": devtest.ClickHouse(t)})
	must := func(args ...string) {
		t.Helper()
		if code, out, errs := c.run(t, args...); code != 0 {
			t.Fatalf("%q: exit code %d, %s%s", args, code, out, errs)
		}
	}
	send := func(text string) {
		t.Helper()
		var args []string
		for name, value := range c.env {
			if name == "ERRATA_KAFKA_BROKERS" {
				args = []string{"send", "-kafka-brokers", value, "-kafka-topic", topic, "-"}
			}
		}
		if code, _, errs := run(t, text, args...); code != 0 {
			t.Fatal(errs)
		}
	}
	check := func(when string) {
		t.Helper()
		for _, table := range []string{"runs", "transcripts", "rejects"} {
			rows := rowsOf(t, c.env["ERRATA_CLICKHOUSE_DSN"], "SELECT DISTINCT run_id FROM "+table+" FINAL ORDER BY run_id")
			if got := strings.Join(rows, " "); table != "rejects" && got != "stays" || table == "rejects" && strings.Contains(got, "goes") {
				t.Errorf("%s: %s has %q", when, table, got)
			}
		}
	}
	user := `{"role":"user","content":"secret"}`
	send(envelope("goes", user) + "\n" + envelope("stays", user))
	must("run", "-until-caught-up")
	must("delete", "-run", "goes", "-settle", "10ms")
	check("after the deletion")
	send(envelope("goes", user+`,{"role":"assistant","content":"more"}`))
	must("run", "-until-caught-up")
	check("after a later record")
	must("run", "-until-caught-up", "-kafka-group", "again")
	check("after reading the topic again")
	if left := rowsOf(t, c.env["ERRATA_CLICKHOUSE_DSN"], "SELECT content FROM transcripts WHERE run_id = 'goes'"); len(left) > 0 {
		t.Errorf("of what was said there is still %q", left)
	}
	if code, _, errs := c.run(t, "delete"); code != 2 || !strings.Contains(errs, "-run ID") {
		t.Errorf("without a run it exits %d and says %q", code, errs)
	}
}
