package migrations

import (
	"fmt"
	"strings"
	"testing"
)

// The states of one run as more becomes known of it: an hour, two hours of a day, an earlier hour of that day, two days,
// and beyond what is looked for.
var growing = []struct{ from, to, stands string }{
	{"2026-10-02 10:10:00", "2026-10-02 10:50:00", "0 2026-10-02 10"},
	{"2026-10-02 10:10:00", "2026-10-02 11:00:00", "1 2026-10-02 00"},
	{"2026-10-02 08:59:59", "2026-10-02 11:00:00", "1 2026-10-02 00"},
	{"2026-10-01 23:59:59", "2026-10-02 11:00:00", "2 2026-10-01 00"},
	{"2026-09-29 00:00:00", "2026-10-02 11:00:00", "2 2026-09-29 00"},
}

// In whatever order the states of a run arrive, once or twice, questions see the last of them and nothing else.
func TestARunStandsOnceByTime(t *testing.T) {
	cfg, conn := open(t)
	if _, err := Apply(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var want []string
	writes := make([][]string, len(growing)+1) // what each insert writes of every run
	for last := range growing {
		for _, order := range orders(last + 1) {
			id := fmt.Sprintf("%04d", len(want)+1)
			for i, state := range append(order, order[0]) {
				s := growing[state]
				writes[i] = append(writes[i], fmt.Sprintf("('%s', %d, '%s', '%s', ['%s'], ['t'], ['m'], ['v'], ['ok'])", id, state+1, s.from, s.from, s.to))
			}
			want = append(want, fmt.Sprintf("%s %d %s", id, last+1, growing[last].stands))
		}
	}
	for _, rows := range writes {
		err := conn.Exec(t.Context(), `INSERT INTO runs (run_id, version, started_at, last_activity, calls.time, calls.tool, calls.model, calls.variant, calls.outcome)
			VALUES `+strings.Join(rows, ", "))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, merged := range []string{"as written", "merged"} {
		var got string
		err := conn.QueryRow(t.Context(), `
			SELECT arrayStringConcat(arraySort(groupArray(concat(run_id, ' ', toString(version), ' ', toString(level), ' ',
				formatDateTime(toDateTime(stretch * 3600, 'UTC'), '%Y-%m-%d %H')))), '\n') FROM dated_runs FINAL`).Scan(&got)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.Join(want, "\n") {
			for i, line := range strings.Split(got, "\n") {
				if i < len(want) && line != want[i] {
					t.Errorf("%s: got %s, want %s", merged, line, want[i])
				}
			}
			t.Fatalf("%s: %d rows, want %d", merged, strings.Count(got, "\n")+1, len(want))
		}
		if err := conn.Exec(t.Context(), "OPTIMIZE TABLE dated_runs FINAL"); err != nil {
			t.Fatal(err)
		}
	}
	var unmarked uint64
	err := conn.QueryRow(t.Context(), "SELECT count() FROM dated_runs WHERE (level, stretch) NOT IN (SELECT level, stretch FROM stretches)").Scan(&unmarked)
	if err != nil || unmarked > 0 {
		t.Errorf("%d rows stand where nothing is noted, %v", unmarked, err)
	}
}

// orders are all orders of the numbers below n.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, before := range orders(n - 1) {
		for at := range n {
			order := append(append(append([]int{}, before[:at]...), n-1), before[at:]...)
			all = append(all, order)
		}
	}
	return all
}
