package stats_test

import (
	"math"
	"testing"

	"errata/metrics/stats"
)

// pairs are runs with one result each, of which b ceased to be an error and c became one.
func pairs(b, c, same int) (m stats.Moments) {
	for range b {
		m.Add(1, -1)
	}
	for range c {
		m.Add(1, 1)
	}
	for range same {
		m.Add(1, 0)
	}
	return m
}

// Agresti's two surveys of 1,600 voters: 794 approve in both, 150 and 86 change their mind, 570 disapprove in both. The share
// falls by .04 with a standard error of .0095, 95 % −.06 to −.02, and McNemar's statistic is 17.36 (4.17²).
func TestPairedOfThePresidentialSurvey(t *testing.T) {
	p := pairs(150, 86, 794+570).Paired()
	near := func(what string, got *float64, want, within float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > within {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("the difference", p.Difference, -.04, 1e-12)
	near("the lower end", p.Low, -.04-1.96*.0095, 1.5e-4)
	near("the upper end", p.High, -.04+1.96*.0095, 1.5e-4)
	near("the statistic", p.Statistic, 17.36, .005)
	near("p", p.P, 3.1e-5, 1e-6)
}

// The same results in half as many runs, two alike in each, say as much as half of them: the interval is √2 as wide and the
// statistic half as large.
func TestPairedCountsRunsAsClusters(t *testing.T) {
	var twice stats.Moments
	for _, of := range []struct {
		runs int
		y    float64
	}{{75, -2}, {43, 2}, {682, 0}} {
		for range of.runs {
			twice.Add(2, of.y)
		}
	}
	one, two := pairs(150, 86, 1364).Paired(), twice.Paired()
	if got := (*two.High - *two.Low) / (*one.High - *one.Low); math.Abs(got-math.Sqrt2) > .01 {
		t.Errorf("the interval is %.3f times as wide", got)
	}
	if got := *two.Statistic / *one.Statistic; math.Abs(got-.5) > 1e-12 {
		t.Errorf("the statistic is %.3f times as large", got)
	}
}

// Where nothing changed its side the interval is no point: 0 of 20 runs may hide up to 1 of 5 (Wilson: 16 %, with t for few
// runs 18 %).
func TestPairedWithoutAChange(t *testing.T) {
	p := pairs(0, 0, 20).Paired()
	if p.Difference == nil || *p.Difference != 0 || p.Statistic != nil || p.P != nil {
		t.Errorf("%+v", p)
	}
	if p.Low == nil || *p.Low > -.15 || *p.High < .15 || *p.High > .2 || *p.Low != -*p.High {
		t.Errorf("interval %v to %v", *p.Low, *p.High)
	}
	if one := pairs(0, 0, 1).Paired(); one.Low != nil || one.Difference == nil {
		t.Error("one run has an interval")
	}
	if none := (stats.Moments{}).Paired(); none != (stats.Paired{}) {
		t.Errorf("of nothing: %+v", none)
	}
}
