package ui_test

import (
	"testing"

	"errata/web/ui"
)

func is(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNumbers(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	is(t, ui.Count(0), "0")
	is(t, ui.Count(1234567), "1,234,567")
	is(t, ui.Count(-1000), "−1,000")
	is(t, ui.Percent(nil), "—")
	is(t, ui.Percent(p(.042)), "4.2 %")
	is(t, ui.Percent(p(.0001)), "<0.1 %")
	is(t, ui.Percent(p(0)), "0.0 %")
	is(t, ui.Percent(p(.9999)), ">99.9 %")
	is(t, ui.Range(p(.021), p(.068)), "95 % CI 2.1–6.8 %")
	is(t, ui.Range(nil, p(.1)), "")
	is(t, ui.Short(999), "999")
	is(t, ui.Short(999.6), "1.00 k")
	is(t, ui.Short(1_234_567), "1.23 M")
	is(t, ui.Money(nil), "—")
	is(t, ui.Money(p(0)), "$0")
	is(t, ui.Money(p(1.26)), "$1.26")
	is(t, ui.Money(p(2)), "$2.00")
	is(t, ui.Money(p(99.4)), "$99.40")
	is(t, ui.Money(p(0.5)), "$0.50")
	is(t, ui.Money(p(0.0123)), "$0.012")
	is(t, ui.Money(p(1234.5)), "$1,235")
	is(t, ui.Duration(p(.25)), "250ms")
	is(t, ui.Duration(p(80)), "1m 20s")
	is(t, ui.Duration(p(90000)), "1d 1h")
	is(t, ui.Duration(nil), "—")
}

func TestVisible(t *testing.T) {
	is(t, ui.Visible("plain\ntext"), "plain\ntext")
	is(t, ui.Visible("a\x07b\x7f"), "a␇b␡")
	is(t, ui.Visible("\u202eevil\u200b"), "[U+202E]evil[U+200B]")
	is(t, ui.Visible("a\xffb"), "a\ufffdb")
}
