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

func TestFieldsOfWhatIsComparedWithinErrors(t *testing.T) {
	s := open(t)
	s.put("a")
	rows := s.object(s.get("breaker"))["rows"].([]any)
	if len(rows) != 10 {
		t.Fatalf("breaker: %d rows, want one for each of 1 to 10 failures", len(rows))
	}
	for _, field := range []string{"n", "turns_saved", "tokens_saved", "recoveries_lost"} {
		if _, ok := rows[0].(map[string]any)[field]; !ok {
			t.Errorf("breaker: no field %s in %v", field, rows[0])
		}
	}
	for name, header := range map[string]string{
		"field_effects": "code,field,with_n,without_n,shares_with,shares_without,p,verdict,association",
		"shadow":        "old_template,old_code,new_code,shadow,count,runs,example_run,error_disagrees,retryable_disagrees,old_body_tokens,new_body_tokens,covered",
	} {
		w := s.get(name + ".csv")
		if got := strings.TrimSpace(w.Body.String()); w.Code != 200 || got != header {
			t.Errorf("%s: status %d, %s", name, w.Code, got)
		}
		if rows := s.object(s.get(name))["rows"].([]any); len(rows) != 0 {
			t.Errorf("%s: %v", name, rows)
		}
		s.refused(s.get(name+"?by=tool"), 400, "invalid_parameter", "by")
	}
}
