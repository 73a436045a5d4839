package ask_test

import (
	"encoding/json"
	"math"
	"testing"
)

func count(v int64) *int64 { return &v }

func share(v float64) *float64 { return &v }

// same compares two values by what a reader of the API would see.
func same(t *testing.T, got, want any) {
	t.Helper()
	g, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.MarshalIndent(want, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if string(g) != string(w) {
		t.Errorf("got %s\nwant %s", g, w)
	}
}

// near compares a share with what was computed by hand.
func near(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", name, deref(got), want)
	}
}

// near3 compares a share with one that was computed to four places.
func near3(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 5e-5 {
		t.Errorf("%s is %v, want %v", name, deref(got), want)
	}
}

func deref(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
