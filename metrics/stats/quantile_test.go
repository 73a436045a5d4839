package stats

import (
	"encoding/json"
	"testing"
)

func TestNumberAsJSON(t *testing.T) {
	for _, test := range []struct {
		number     Number
		json, text string
	}{
		{Exactly(3), `3`, "3"},
		{NeverReached(), `"never"`, "never"},
		{Beyond(12), `null`, "> 12"},
		{Number{}, `null`, ""},
	} {
		data, err := json.Marshal(test.number)
		if err != nil || string(data) != test.json {
			t.Errorf("%v as JSON is %s (%v), want %s", test.number, data, err, test.json)
		}
		if test.number.String() != test.text {
			t.Errorf("%v as text is %q, want %q", test.number, test.number.String(), test.text)
		}
	}
	var n Number
	if err := json.Unmarshal([]byte(`"never"`), &n); err != nil || !n.IsNever() {
		t.Errorf("reading never gives %v, %v", n, err)
	}
	if err := json.Unmarshal([]byte(`"often"`), &n); err == nil {
		t.Error("\"often\" is read as a number")
	}
}

// Steps 1, 2 and 3 recover 40, 30 and 10 of 100 runs, the rest are lost or
// open.
func TestQuantileKinds(t *testing.T) {
	base := Cohort{
		{Runs: 40, Outcomes: []Outcome{{1, Recovered}}},
		{Runs: 30, Outcomes: []Outcome{{2, Recovered}}},
		{Runs: 10, Outcomes: []Outcome{{3, Recovered}}},
	}
	lost := append(base[:3:3], Pattern{Runs: 20, Outcomes: []Outcome{{5, Abandoned}}})
	open := append(base[:3:3], Pattern{Runs: 20, Outcomes: []Outcome{{9, Open}}})
	for _, test := range []struct {
		name   string
		cohort Cohort
		q      float64
		want   Number
	}{
		{"at a step", lost, .4, Exactly(1)},
		{"between steps", lost, .41, Exactly(2)},
		{"the last that is reached", lost, .8, Exactly(3)},
		{"lost", lost, .9, NeverReached()},
		{"open", open, .9, Beyond(9)},
		{"too few beyond it", lost, .96, Number{}},
		{"no quantile", lost, 1, Number{}},
	} {
		if got := test.cohort.Curve().Quantile(test.q).Value; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// With 100 runs F1(1) = .4 has a band of about .31 to .50, so that P50 could
// be 1; F1(2) = .7 has one of .60 to .79, so that it is at most 2. P80 lies in
// the band of F1(3) = .8 (.71 to .87): from 3 to never.
func TestQuantileInterval(t *testing.T) {
	c := Cohort{
		{Runs: 40, Outcomes: []Outcome{{1, Recovered}}},
		{Runs: 30, Outcomes: []Outcome{{2, Recovered}}},
		{Runs: 10, Outcomes: []Outcome{{3, Recovered}}},
		{Runs: 20, Outcomes: []Outcome{{5, Abandoned}}},
	}.Curve()
	for _, test := range []struct {
		q         float64
		low, high Number
	}{
		{.45, Exactly(1), Exactly(2)},
		{.55, Exactly(2), Exactly(2)},
		{.8, Exactly(3), NeverReached()},
		{.9, NeverReached(), NeverReached()},
	} {
		got := c.Quantile(test.q)
		if got.Low != test.low || got.High != test.high {
			t.Errorf("P%g: %v to %v, want %v to %v", 100*test.q, got.Low, got.High, test.low, test.high)
		}
	}
}
