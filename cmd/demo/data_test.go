package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// The moment at which the simulated tools change is saved as a cutover, under the transcripts' own time; what is no
// simulation has none.
func TestDemoMarksItsCutover(t *testing.T) {
	var got []map[string]string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/api/v1/cutovers" || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		got = append(got, body)
	}))
	defer site.Close()

	d, err := newData(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.markCutover(t.Context(), site.URL); err != nil || len(got) != 0 {
		t.Errorf("without a simulation: %v, marked %v", err, got)
	}
	began := time.Now()
	if _, err := d.simulate(); err != nil {
		t.Fatal(err)
	}
	if err := d.markCutover(t.Context(), site.URL); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0]["name"] == "" {
		t.Fatalf("marked %v", got)
	}
	at, err := time.Parse(time.RFC3339, got[0]["at"])
	if week := 7 * 24 * time.Hour; err != nil || began.Sub(at) < week-time.Minute || began.Sub(at) > week+time.Minute {
		t.Errorf("the cutover is at %q, %v; the simulation is two weeks long and changes half way", got[0]["at"], err)
	}
}

func TestDemoSaysWhyItCannotMarkItsCutover(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler())
	defer site.Close()
	d := data{dir: t.TempDir()}
	if err := os.WriteFile(d.cutoverFile(), []byte("2026-10-01T00:00:00Z"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.markCutover(t.Context(), site.URL); err == nil {
		t.Error("a refusal is no error")
	}
}
