package api_test

import (
	"encoding/csv"
	"strings"
	"testing"
)

func TestCompareFields(t *testing.T) {
	s := open(t)
	s.put("a")
	for _, target := range []string{"compare?a=plain&b=other", "compare?cutover=2026-10-01T00:00:00Z"} {
		w := s.get(target)
		reply := s.object(w)
		rows := reply["rows"].([]any)
		first := rows[0].(map[string]any)
		if first["metric"] != "task_success" || first["role"] != "guardrail" {
			t.Errorf("%s: the first row is %v", target, first)
		}
		for _, field := range strings.Fields(`metric role a b a_n b_n a_runs b_runs difference low high always_valid_low
			always_valid_high placebo_p verdict observational`) {
			if _, ok := first[field]; !ok {
				t.Errorf("%s: no field %s in %v", target, field, first)
			}
		}
		for _, field := range strings.Fields("filters as_of a_runs b_runs straddling straddling_share withheld split mix margin window") {
			if _, ok := reply[field]; !ok {
				t.Errorf("%s: no %s", target, field)
			}
		}
	}
	records, err := csv.NewReader(s.get("compare.csv?a=plain&b=other").Body).ReadAll()
	if err != nil || len(records) != 25 || records[0][0] != "metric" {
		t.Errorf("%d records, %v", len(records), err)
	}
	s.refused(s.get("compare"), 400, "invalid_parameter", "a")
	s.refused(s.get("compare?a=x"), 400, "invalid_parameter", "b")
	s.refused(s.get("compare?a=x&b=y&split=half"), 400, "invalid_parameter", "split")
	s.refused(s.get("compare?a=x&b=y&split=NaN"), 400, "invalid_parameter", "split")
	s.refused(s.get("compare?a=x&b=y&cutover=2026-10-01T00:00:00Z"), 400, "invalid_parameter", "cutover")
	s.refused(s.get("compare?cutover=now"), 400, "invalid_parameter", "cutover")
}
