package ask_test

import (
	"encoding/json"
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
