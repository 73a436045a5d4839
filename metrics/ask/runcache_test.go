package ask_test

import (
	"strconv"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// A run that is looked at again is not mined again, unless more is known of it.
func TestARunIsMinedOnce(t *testing.T) {
	mined := 0
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return later }
	settings.Mine = func(r transcript.Run) metrics.Facts { mined++; return mine(r) }
	f := openWith(t, settings)
	write := func(rows ...transcript.Row) {
		t.Helper()
		if err := f.store.Write(t.Context(), rows, nil); err != nil {
			t.Fatal(err)
		}
	}
	look := func(id string, want, messages int) {
		t.Helper()
		a, err := f.Run(t.Context(), id, time.Time{})
		if got := len(only(t, a, err).Threads[0].Messages); mined != want || got != messages {
			t.Errorf("%s: mined %d times with %d messages, want %d with %d", id, mined, got, want, messages)
		}
		same(t, a.Query.Name, "run.sql")
	}
	write(said(t, "grows")...)
	look("grows", 1, 3)
	look("grows", 1, 3)
	more := transcript.Message{Role: transcript.RoleUser, Text: "more", Time: t0.Add(time.Minute)}
	known := transcript.Known{Slot: transcript.SlotOf(&more, 3, 0), Position: 3, Message: more}
	known.Arrived = t0
	row, err := known.Row("grows")
	if err != nil {
		t.Fatal(err)
	}
	write(row)
	look("grows", 2, 4)
	// As many others are looked at as are kept: this one is let go.
	for i := range 8 {
		id := "other" + strconv.Itoa(i)
		write(said(t, transcript.RunID(id))...)
		look(id, 3+i, 3)
	}
	look("other0", 10, 3)
	look("grows", 11, 4)
}
