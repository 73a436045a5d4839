package web

import (
	"testing"

	"errata/metrics/ask"
)

// What did not recover comes first, in the order of the run, and all but the first episodes of a long list open on demand.
func TestEpisodesOfALongRun(t *testing.T) {
	run := ask.Run{RunID: "r"}
	for i := range 230 {
		e := ask.Episode{Ending: "recovered"}
		if i == 40 || i == 200 {
			e.Ending = "abandoned"
		}
		if i == 100 {
			e.Ending = "open"
		}
		run.Episodes = append(run.Episodes, e)
	}
	s := newRunView(run).episodeTable()
	first, rest := s.Tables[0].Rows, s.Folded.Table
	if len(first) != firstEpisodes || len(rest.Rows) != mostEpisodes-firstEpisodes || rest.Note == "" {
		t.Errorf("%d episodes at once, %d on demand, note %q", len(first), len(rest.Rows), rest.Note)
	}
	for i, want := range []string{"Episode 41", "Episode 101", "Episode 201", "Episode 1"} {
		if got := first[i].Cells[0].Text; got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
	run.Episodes = run.Episodes[:3]
	if s := newRunView(run).episodeTable(); s.Folded != nil || len(s.Tables[0].Rows) != 3 {
		t.Error("three episodes are folded")
	}
}
