package chart_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"errata/web/chart"
)

// option is what a script reads of a chart.
type option struct {
	Option struct {
		Series []struct {
			Name     string
			Type     string
			Stack    string
			Data     []struct{ Value any }
			MarkLine struct{ Data []json.RawMessage }
		}
		XAxis  []struct{ Data []string }
		YAxis  []struct{ Min, Max any }
		Legend struct{ Data []struct{ Name string } }
	}
	Tips []string
}

// moment is a line of a chart that has a name.
type moment struct{ Name, XAxis string }

// moments are the named lines of a chart.
func (o option) moments(t *testing.T) (all []moment) {
	t.Helper()
	for _, s := range o.Option.Series {
		for _, line := range s.MarkLine.Data {
			var m moment
			if line[0] == '[' {
				continue // the two ends of an interval
			}
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
	}
	return all
}

// read writes a chart as a page does and reads it back.
func read(t *testing.T, c chart.Chart) (option, string) {
	t.Helper()
	text, err := json.Marshal(c.Data())
	if err != nil {
		t.Fatal(err)
	}
	var o option
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o, string(text)
}

func share(v float64) *float64 { return &v }

// values are those of a series, as they are drawn.
func values(t *testing.T, o option, name string) string {
	t.Helper()
	for _, s := range o.Option.Series {
		if s.Name == name {
			var all []string
			for _, d := range s.Data {
				all = append(all, fmt.Sprint(d.Value))
			}
			return strings.Join(all, " ")
		}
	}
	t.Errorf("there is no series %q", name)
	return ""
}

func rates() chart.Rates {
	return chart.Rates{
		ID: "c", Label: "what it shows", Days: []string{"2026-10-01", "2026-10-02", "2026-10-03"}, CountName: "failed calls", Counts: []int64{40, 3, 20},
		Rates: []chart.Rate{{Name: "loop rate", Values: []*float64{share(.25), nil, share(.105)}, Low: []*float64{share(.2), nil, share(.1)}, High: []*float64{share(.31), nil, share(.12)}}},
		Marks: []chart.Mark{{At: "2026-10-02", Name: "structured errors"}}, Tips: []string{"a", "b", "c"},
	}
}

// A rate is drawn in percent, with its interval as the stretch from its lower end, and a gap where it is not known.
func TestRates(t *testing.T) {
	o, _ := read(t, rates().Chart())
	for name, want := range map[string]string{"loop rate": "25 <nil> 10.5", "lower end": "20 <nil> 10", "95 % CI": "11 <nil> 2", "failed calls": "40 3 20"} {
		if got := values(t, o, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := fmt.Sprint(o.Option.XAxis[0].Data, o.Tips, o.Option.Legend.Data); got != "[2026-10-01 2026-10-02 2026-10-03] [a b c] [{loop rate} {95 % CI} {failed calls}]" {
		t.Error(got)
	}
	// Rates begin at 0, and the bars take a quarter of the height.
	if got := fmt.Sprint(o.Option.YAxis[0].Min, o.Option.YAxis[1].Max); got != "0 160" {
		t.Errorf("axes %s", got)
	}
}

func TestMomentsAreMarkedOnce(t *testing.T) {
	r := rates()
	r.Rates = append(r.Rates, chart.Rate{Name: "other", Color: "var(--orange)", Values: []*float64{nil, nil, nil}})
	o, _ := read(t, r.Chart())
	if got := o.moments(t); len(got) != 1 || got[0] != (moment{"structured errors", "2026-10-02"}) {
		t.Errorf("marked %+v", got)
	}
}

// A value without neighbours has its interval as a line: a band would have no width there.
func TestALoneValueHasItsInterval(t *testing.T) {
	r := rates() // the second of three days has no value
	o, text := read(t, r.Chart())
	if n := strings.Count(text, `"coord":`); n != 4 || !strings.Contains(text, `"coord":["2026-10-01",20]`) || !strings.Contains(text, `"coord":["2026-10-03",12]`) {
		t.Errorf("%d ends of intervals in %s", n, text)
	}
	if len(o.moments(t)) != 1 {
		t.Error("the moment is lost")
	}
	r.Rates[0].Values[1] = share(.2)
	if _, text := read(t, r.Chart()); strings.Contains(text, `"coord":`) {
		t.Error("values with neighbours have lines beside their band")
	}
}

// A name that would run off the chart is cut, at a character's end.
func TestLongNamesAreCut(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		r := rates()
		r.Marks[0].Name = name
		o, _ := read(t, r.Chart())
		if got := o.moments(t)[0].Name; got != want {
			t.Errorf("%q is drawn as %q, want %q", name, got, want)
		}
	}
	f(strings.Repeat("a", 24), strings.Repeat("a", 24))
	f(strings.Repeat("日", 25), strings.Repeat("日", 23)+"…")
	f("structured errors of the second release", "structured errors of th…")
}

// What a page holds is data: no function, no colour of its own, no markup in a tip that could run.
func TestOptionsAreData(t *testing.T) {
	r := rates()
	r.Marks[0].Name, r.Rates[0].Name, r.Tips[0] = "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b>"
	for _, c := range []chart.Chart{r.Chart(), distribution().Chart(), curve().Chart()} {
		_, text := read(t, c)
		for _, bad := range []string{"<script", "</script", "<img", "function", "__f__"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", c.ID, bad)
			}
		}
		for part := range strings.SplitSeq(text, `"color":"`) {
			if color, _, _ := strings.Cut(part, `"`); part != text && !strings.HasPrefix(part, "{") && color != "" && !strings.HasPrefix(color, "var(--") {
				t.Errorf("%s has a colour of its own: %s", c.ID, color)
			}
		}
	}
}

func distribution() chart.Distribution {
	return chart.Distribution{ID: "d", Label: "attempts", XName: "attempts", Buckets: []chart.Bucket{{Name: "1", Count: 80}, {}, {Name: "never", Count: 16, Color: "var(--vermilion)"}}, Tips: []string{"x", "", "y"}}
}

// The buckets of a distribution stand in order, with a gap before those that never recovered.
func TestDistribution(t *testing.T) {
	o, _ := read(t, distribution().Chart())
	if got := values(t, o, "episodes"); got != "80 <nil> 16" {
		t.Errorf("bars %s", got)
	}
	if got := fmt.Sprintf("%q", o.Option.XAxis[0].Data); got != `["1" "" "never"]` {
		t.Errorf("names %s", got)
	}
}

func curve() chart.Curve {
	return chart.Curve{ID: "e", Label: "recovered", Name: "recovered", XName: "attempts", Steps: []string{"1", "2"}, Values: []*float64{share(.4), share(.68)},
		Low: []*float64{share(.3), share(.6)}, High: []*float64{share(.5), nil}}
}

// A share never goes beyond all: the axis ends at 100 %. Half an interval is none.
func TestCurve(t *testing.T) {
	o, _ := read(t, curve().Chart())
	if got := values(t, o, "recovered") + ", " + values(t, o, "95 % CI"); got != "40 68, 20 <nil>" {
		t.Errorf("drawn %s", got)
	}
	if got := fmt.Sprint(o.Option.YAxis[0].Max); got != "100" {
		t.Errorf("axis to %s", got)
	}
}
