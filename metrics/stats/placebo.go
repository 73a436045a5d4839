package stats

import "math"

// LeastPlacebos is the number of earlier moments that a before/after
// comparison must outdo.
const LeastPlacebos = 20

// PlaceboP is the place of a before/after statistic among the same statistic
// at moments where nothing happened: (1 + #{|placebo| ≥ |actual|})/(1 + K). Nil
// with fewer than LeastPlacebos of them. In the manner of the placebo laws of
// Bertrand, Duflo & Mullainathan 2004.
//
// It is valid for one look, at moments that do not share most of their days.
// For a cutover that is watched use History.PlaceboP.
func PlaceboP(actual float64, placebos []float64) *float64 {
	if len(placebos) < LeastPlacebos {
		return nil
	}
	count := 1.0
	for _, p := range placebos {
		if math.Abs(p) >= math.Abs(actual) {
			count++
		}
	}
	return known(count / float64(1+len(placebos)))
}

// History is one figure's sums by whole day (or another even stretch of time),
// oldest first and without gaps, around a cutover.
type History struct {
	// Days are the moments of the runs that started on each day.
	Days []Moments
	// Cutover is the index of the first day after it.
	Cutover int
}

// largestWindow is the number of days after which a cutover has been watched
// for long enough.
const largestWindow = 14

// placeboSpacing is how many days apart earlier moments lie for a window.
// Moments nearer than about a third of it share so many days that the last of
// them, the cutover, is the most extreme one too often.
func placeboSpacing(window int) int { return window/3 + 1 }

// Window is the number of days compared on each side, 0 without enough history.
// It is the most, up to 14, that leaves LeastPlacebos earlier moments, and thus
// settled by the time of the cutover, whatever is seen later.
func (h History) Window() int {
	for w := largestWindow; w > 0; w-- {
		if 2*w+(LeastPlacebos-1)*placeboSpacing(w) <= min(h.Cutover, len(h.Days)) {
			return w
		}
	}
	return 0
}

// PlaceboP is the p-value of a cutover that is looked at every day. The figure
// is the largest |z| on any day of the window after it so far; each earlier
// moment is watched in the same way, for its whole window. A p-value made anew
// at each look from that look alone would be small at some look too often: on
// noise in 17 % of cutovers watched for 14 days instead of 5 %.
//
// Nil without enough history or without a day after the cutover.
func (h History) PlaceboP() *float64 {
	w := h.Window()
	seen := min(w, len(h.Days)-h.Cutover)
	if w == 0 || seen < 1 {
		return nil
	}
	actual := h.furthest(h.Cutover, w, seen)
	var placebos []float64
	for moment := h.Cutover - w; moment >= w; moment -= placeboSpacing(w) {
		placebos = append(placebos, h.furthest(moment, w, w))
	}
	return PlaceboP(actual, placebos)
}

// furthest is the largest |z| of the days after a moment, taken together as
// they come in, against the window before it.
func (h History) furthest(moment, window, days int) float64 {
	var before, after Moments
	for _, m := range h.Days[moment-window : moment] {
		before = before.Merge(m)
	}
	most := 0.0
	for _, m := range h.Days[moment : moment+days] {
		after = after.Merge(m)
		arms := RatioArms(before, after)
		if se := arms.standardError(); se > 0 && !math.IsInf(se, 0) {
			most = math.Max(most, math.Abs(arms.B.Value-arms.A.Value)/se)
		}
	}
	return most
}
