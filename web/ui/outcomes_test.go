package ui_test

import (
	"testing"

	"errata/web/ui"
)

func TestOutcomesAreDrawnInOrder(t *testing.T) {
	o := ui.NewOutcomes("ooepe", 9)
	if o.OK != "M0 4h4v4h-4zM6 4h4v4h-4z" || o.Error != "M12 1h4v10h-4zM24 1h4v10h-4z" || o.Other != "M18.5 4.5h3v3h-3z" {
		t.Errorf("drawn as %+v", o)
	}
	if o.Label != "Calls in order: 2 ok, 1 failed, 1 pending, 1 failed" || o.More != "and 4 more" || o.Width != "30" {
		t.Errorf("said as %+v", o)
	}
	if ui.NewOutcomes("", 0) != nil {
		t.Error("a run without calls has a strip")
	}
}

func TestDifferencesHaveNothingInTheMiddle(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	m := ui.NewDifference(at(-2), at(-4), at(0), "")
	if m.Low != "2.00" || m.Value != "26.00" || m.Width != "48.00" || m.Mid != "50.00" {
		t.Errorf("placed at %+v", m)
	}
	if m := ui.NewDifference(at(3), nil, nil, ""); !m.Hollow || m.Value != "98.00" {
		t.Errorf("without an interval %+v", m)
	}
	if ui.NewDifference(nil, nil, nil, "") != nil || ui.NewDifference(at(0), nil, nil, "") != nil {
		t.Error("nothing is drawn as something")
	}
}
