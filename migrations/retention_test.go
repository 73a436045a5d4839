package migrations

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What is older than its time goes, what is younger stays, and so do the marks of deleted runs.
func TestRetain(t *testing.T) {
	ctx := context.Background()
	cfg, conn := open(t)
	if _, err := Apply(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	exec := func(statement string) {
		t.Helper()
		if err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	for id, age := range map[string]int{"old": 50, "young": 10} {
		exec(fmt.Sprintf("INSERT INTO transcripts (run_id, kind, arrived) VALUES ('%s', 'message', now() - INTERVAL %d DAY)", id, age))
		exec(fmt.Sprintf("INSERT INTO runs (run_id, version, stored_at) VALUES ('%s', 1, now() - INTERVAL %d DAY)", id, age))
		exec(fmt.Sprintf("INSERT INTO rejects (topic, run_id, offset, rejected_at) VALUES ('t', '%s', %d, now() - INTERVAL %d DAY)", id, age, age))
	}
	exec("INSERT INTO runs (run_id, version, is_deleted, stored_at) VALUES ('gone', 18446744073709551615, 1, now() - INTERVAL 50 DAY)")
	for range 2 { // the second time changes nothing
		if err := Retain(ctx, cfg, Retention{Transcripts: 30 * 24 * time.Hour, Facts: 40 * 24 * time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]string{"transcripts": "young", "runs": "gone young", "rejects": "young"} {
		exec("OPTIMIZE TABLE " + table + " FINAL")
		var got string
		if err := conn.QueryRow(ctx, "SELECT arrayStringConcat(arraySort(groupArray(run_id)), ' ') FROM "+table).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s holds %q, want %q", table, got, want)
		}
	}
	var altered uint64
	if err := conn.QueryRow(ctx, "SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = 'runs'").Scan(&altered); err != nil || altered > 1 {
		t.Errorf("the table was altered %d times, %v", altered, err)
	}
	if err := Retain(ctx, cfg, Retention{Facts: time.Hour}); err == nil || !strings.Contains(err.Error(), "at least 24h") {
		t.Errorf("an hour: %v", err)
	}
}

// An ingester of the version before goes on writing while the new one brings the tables up to date.
func TestAMigrationUnderTheVersionBefore(t *testing.T) {
	ctx := context.Background()
	cfg, conn := open(t)
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apply(ctx, cfg, all[:6]); err != nil {
		t.Fatal(err)
	}
	// What an ingester of the version before writes, again and again, while the new one migrates.
	stop, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				failed <- nil
				return
			default:
			}
			err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO ingest_status (consumer_group, topic, next_offset, updated_at) VALUES ('g', 't', %d, now64(3))", n))
			if err == nil {
				err = conn.Exec(ctx, fmt.Sprintf("INSERT INTO runs (run_id, version) VALUES ('r', %d)", n))
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	time.Sleep(100 * time.Millisecond)
	if n, err := Apply(ctx, cfg); err != nil || n != len(all)-6 {
		t.Errorf("applied %d, %v", n, err)
	}
	close(stop)
	if err := <-failed; err != nil {
		t.Errorf("the version before cannot write any more: %v", err)
	}
	var rows uint64
	if err := conn.QueryRow(ctx, "SELECT count() FROM ingest_progress FINAL").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows of progress were taken over, %v", rows, err)
	}
}
