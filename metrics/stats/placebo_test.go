package stats

import "testing"

func TestPlaceboP(t *testing.T) {
	placebos := make([]float64, 39)
	for i := range placebos {
		placebos[i] = float64(i-19) / 100
	}
	// ±.19 are the largest: two of 39 are at least .19, none is at least .2.
	near(t, "p", value(t, "p", PlaceboP(-.19, placebos)), 3.0/40, 1e-12)
	near(t, "p", value(t, "p", PlaceboP(.2, placebos)), 1.0/40, 1e-12)
	if PlaceboP(1, placebos[:19]) != nil {
		t.Error("19 earlier moments are history enough")
	}
}

// day is one day of 100 runs with one unit each.
func day(hits int) Moments {
	var m Moments
	for i := range 100 {
		y := 0.0
		if i < hits {
			y = 1
		}
		m.Add(1, y)
	}
	return m
}

// 2w + 19·(w/3+1) days are needed: 21 for 1, 23 for 2, 44 for 3, 69 for 6, 71 for 7 and
// 123 for 14.
func TestHistoryWindow(t *testing.T) {
	for _, test := range []struct{ days, want int }{
		{20, 0}, {21, 1}, {23, 2}, {43, 2}, {44, 3}, {68, 5}, {70, 6}, {71, 7}, {122, 13}, {123, 14}, {1000, 14},
	} {
		h := History{Days: make([]Moments, test.days+5), Cutover: test.days}
		if got := h.Window(); got != test.want {
			t.Errorf("%d days of history give a window of %d, want %d", test.days, got, test.want)
		}
	}
	if (History{Cutover: 500}).Window() != 0 {
		t.Error("a cutover beyond the days has a window")
	}
}

func TestHistoryPlaceboP(t *testing.T) {
	var h History
	for i := range 71 {
		h.Days = append(h.Days, day(20+i%5))
	}
	h.Cutover = 71
	if h.PlaceboP() != nil {
		t.Error("a cutover of which no day is over has a p-value")
	}
	calm := append(h.Days[:71:71], day(22))
	sudden := append(h.Days[:71:71], day(60))
	near(t, "p of a jump", value(t, "p", History{Days: sudden, Cutover: 71}.PlaceboP()), 1.0/21, 1e-12)
	if p := value(t, "p", History{Days: calm, Cutover: 71}.PlaceboP()); p < .5 {
		t.Errorf("a day like the others has p = %v", p)
	}
	// What was seen stays seen: later calm days do not take it back.
	for range 10 {
		sudden = append(sudden, day(22))
	}
	near(t, "p later", value(t, "p", History{Days: sudden, Cutover: 71}.PlaceboP()), 1.0/21, 1e-12)
	if (History{Days: sudden, Cutover: 15}).PlaceboP() != nil {
		t.Error("15 days of history are enough")
	}
}
