package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// parse reads "run:step" and r recovered, a abandoned, h helped, o open, where
// step is the step at which the episode ended, as in the specification.
func parse(t *testing.T, text string) []Episode {
	t.Helper()
	ends := map[byte]End{'r': Recovered, 'a': Abandoned, 'h': RecoveredWithUser, 'o': Open}
	var episodes []Episode
	for _, word := range strings.Fields(text) {
		var e Episode
		var end byte
		if _, err := fmt.Sscanf(word, "%d:%d%c", &e.Run, &e.Attempts, &end); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		e.End = ends[end]
		if e.End == Abandoned {
			e.Attempts-- // it gave up in the step after its last attempt
		}
		episodes = append(episodes, e)
	}
	return episodes
}

const fixture = "1:1r 1:2r 1:2a 2:1o 2:3r 3:1a 3:4r 3:2o 4:3a 4:5r 5:3o 5:1r"

// jackknife is the standard error without G/(G−1), which R leaves out.
func jackknife(e Estimate) float64 {
	return math.Sqrt(e.Variance * (e.Runs - 1) / e.Runs)
}

func TestCurveOfTheSpecification(t *testing.T) {
	episodes := parse(t, fixture)
	byRun := NewCohort(episodes).Curve()
	for i := range episodes {
		episodes[i].Run = i
	}
	byEpisode := NewCohort(episodes).Curve()
	for k, want := range []float64{.16667, .26042, .37292, .54167} {
		for _, c := range []*Curve{byRun, byEpisode} {
			near(t, "F1", value(t, "F1", c.Value(Window{Ends: Recovered, Upto: k + 1})), want, 5e-6)
		}
	}
	at4 := Window{Ends: Recovered, Upto: 4}
	near(t, "se by episodes", jackknife(byEpisode.Estimate(at4)), .17328, 5e-6)
	near(t, "se by runs", jackknife(byRun.Estimate(at4)), .16563, 5e-6)
}

// The same in R 4.2.2 with survival 3.5.3, all states and steps. Its std.err
// ignores `cluster` for several states, so the influences are added up by run:
//
//	d$e <- factor(d$end, levels = c("o", "r", "a")); d$id <- seq_len(nrow(d))
//	f <- survfit(Surv(step, e) ~ 1, data = d, id = id, influence = TRUE)
//	for (s in 1:3) print(sqrt(colSums(rowsum(f$influence.pstate[,,s], d$run)^2)))
func TestCurveAgainstSurvfit(t *testing.T) {
	c := NewCohort(parse(t, fixture)).Curve()
	recovered := []float64{.090010287, .146054055, .153262038, .165628276, .085366442}
	abandoned := []float64{.070135451, .076966233, .085366442, .085366442, .085366442}
	for i := range recovered {
		near(t, "se F1", jackknife(c.Estimate(Window{Ends: Recovered, Upto: i + 1})), recovered[i], 1e-8)
		near(t, "se F2", jackknife(c.Estimate(Window{Ends: Abandoned, Upto: i + 1})), abandoned[i], 1e-8)
	}
	near(t, "F1(5)", value(t, "F1", c.Value(Window{Ends: Recovered})), .71041667, 1e-8)
	near(t, "F2(5)", value(t, "F2", c.Value(Never)), .28958333, 1e-8)
}

const larger = `10:7r 19:1r 28:3r 7:3r 2:2a 15:1h 26:1o 22:1r 8:1r 24:1r 3:2r 24:5r 8:2r 22:2o 15:1h 8:1r 27:1r 26:3r
12:2r 19:1r 20:1r 8:2r 18:2r 15:7r 6:2r 16:3r 22:1r 27:2r 21:4r 4:1r 11:1r 6:3o 26:1h 23:4r 2:2o 4:2o 6:2r 24:2r 11:6r
8:1r 28:1r 17:1r 27:8r 14:2a 4:2r 25:1r 3:1r 13:6r 21:2r 24:1r 9:1a 21:1r 22:1r 8:1r 13:1r 15:4r 9:1o 2:2r 12:7o 21:4o
8:1r 26:1r 24:1r 10:2r 14:2a 26:1r 8:4o 27:4r 16:1r 18:3o 23:2r 5:5h 6:2a 3:3h 21:4h 9:3a 16:2r 30:2r 23:4a 8:1r 28:1a
16:4r 18:3a 18:2o 8:4a 29:11a 6:3r 10:6a 13:3r 30:2r 24:4a 7:2r 25:1r 25:4r 24:6r 22:1o 12:3r 6:1h 4:1h 16:3a 17:10r
11:2o 13:1r 12:9h 23:2r 28:1o 23:1r 18:3a 1:1h 17:1r 1:1r 12:1r 11:3a 16:8r 2:3r 9:5r 26:3a 17:1r 8:5h 9:3a`

// 120 episodes in 30 runs with three ends, the same R code; and the restricted
// mean with its influence:
//
//	sum(1 - c(0, f$pstate[1:9, 2]))
//	m <- rowsum(-rowSums(f$influence.pstate[, 2:10, 2]), d$run); sqrt(sum(m^2))
func TestLargerCurveAgainstSurvfit(t *testing.T) {
	c := NewCohort(parse(t, larger)).Curve()
	share := map[End][]float64{
		Recovered: {.28333333, .45022523, .52813357, .59073849, .61421533, .64943060, .67290744, .70107966,
			.70107966, .71516576, .71516576},
		Abandoned: {.016666667, .051801802, .119971602, .151274061, .151274061, .163012484, .163012484,
			.163012484, .163012484, .163012484, .177098590},
		RecoveredWithUser: {.05, .05, .059738543, .070172696, .093649540, .093649540, .093649540,
			.093649540, .107735647, .107735647, .107735647},
	}
	deviation := map[End][]float64{
		Recovered: {.047639901, .046139668, .044244058, .042688177, .037947554, .041571974, .036861778,
			.039890100, .039890100, .040742129, .040742129},
		Abandoned: {.011390583, .023501841, .039944781, .037741539, .037741539, .038235980, .038235980,
			.038235980, .038235980, .038235980, .039993300},
		RecoveredWithUser: {.021913656, .021913656, .023600219, .024902734, .027305969, .027305969,
			.027305969, .027305969, .029525001, .029525001, .029525001},
	}
	for end, shares := range share {
		for i, want := range shares {
			e := c.Estimate(Window{Ends: end, Upto: i + 1})
			near(t, "share", e.Value, want, 1e-8)
			near(t, "se", jackknife(e), deviation[end][i], 1e-8)
		}
	}
	mean := c.RestrictedMean()
	near(t, "restricted mean", mean.Value, 4.808857, 5e-7)
	near(t, "its se", jackknife(mean), .332867632, 1e-8)
}

// Example 5 of the definitions: 200 runs, 136 recover within 3 attempts, 48
// take 4 to 7, 16 never.
func example5() Cohort {
	return Cohort{
		{Runs: 100, Outcomes: []Outcome{{1, Recovered}}},
		{Runs: 36, Outcomes: []Outcome{{3, Recovered}}},
		{Runs: 48, Outcomes: []Outcome{{6, Recovered}}},
		{Runs: 16, Outcomes: []Outcome{{2, Abandoned}}},
	}
}

func TestRecoveryOfTheSpecification(t *testing.T) {
	c := example5().Curve()
	r := c.Recovery()
	near(t, "within 3", value(t, "within 3", r.Within3), .68, 1e-12)
	near(t, "4 to 7", value(t, "4 to 7", r.From4To7), .24, 1e-12)
	near(t, "never", value(t, "never", r.Never), .08, 1e-12)
	near(t, "8 or more", value(t, "8 or more", r.From8), 0, 1e-12)
	near(t, "with user", value(t, "with user", r.WithUser), 0, 1e-12)
	near(t, "unknown", value(t, "unknown", r.Unknown), 0, 1e-12)
	if p50, ok := c.Quantile(.5).Value.Int(); !ok || p50 > 3 {
		t.Errorf("P50 = %v, want at most 3", c.Quantile(.5).Value)
	}
	if p95 := c.Quantile(.95).Value; !p95.IsNever() {
		t.Errorf("P95 = %v, want never", p95)
	}
	if p99 := c.Quantile(.99).Value; p99.IsKnown() {
		t.Errorf("P99 = %v of 200 runs, of which 2 lie beyond it", p99)
	}
}

// Without open episodes and with one episode a run the variance is the
// binomial one with n−1.
func TestCurveWithoutCensoring(t *testing.T) {
	e := example5().Curve().Estimate(Within3)
	near(t, "variance", e.Variance, .68*.32/199, 1e-12)
	whole := example5().Curve().Estimate(From4To7)
	near(t, "variance of 4 to 7", whole.Variance, .24*.76/199, 1e-12)
}

// cloglog by hand: F = .68, se = √(.68·.32/199), t.975,199 = 1.971957:
// .68^exp(± 1.971957·.0330676/(.68·.3856625)).
func TestBandByHand(t *testing.T) {
	i := example5().Curve().Interval(Within3)
	w := 1.971956544 * math.Sqrt(.68*.32/199) / (.68 * .3856624808)
	near(t, "low", value(t, "low", i.Low), math.Pow(.68, math.Exp(w)), 1e-8)
	near(t, "high", value(t, "high", i.High), math.Pow(.68, math.Exp(-w)), 1e-8)
}

func randomEpisodes(random *rand.Rand, n int) []Episode {
	ends := []End{Open, Recovered, Recovered, Recovered, Abandoned, RecoveredWithUser}
	episodes := make([]Episode, n)
	for i := range episodes {
		episodes[i] = Episode{
			Run:     random.IntN(n/3 + 1),
			Outcome: Outcome{Attempts: random.IntN(12), End: ends[random.IntN(len(ends))]},
		}
	}
	return episodes
}

func TestCurveProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		episodes := randomEpisodes(random, 1+random.IntN(80))
		c := NewCohort(episodes).Curve()
		checkTotals(t, c)
		before := c.Points(20)
		random.Shuffle(len(episodes), func(i, j int) { episodes[i], episodes[j] = episodes[j], episodes[i] })
		for i, p := range NewCohort(episodes).Curve().Points(20) {
			if p.Recovered != before[i].Recovered {
				t.Fatal("the order of episodes changes the curve")
			}
			if (p.Low == nil) != (before[i].Low == nil) || p.Low != nil && *p.Low != *before[i].Low {
				t.Fatal("the order of episodes changes the band")
			}
		}
	}
}

// checkTotals holds that the shares add up to 1, grow, and lie in their band.
func checkTotals(t *testing.T, c *Curve) {
	t.Helper()
	if c.Runs() == 0 {
		return
	}
	last := 0.0
	for k := 1; k <= c.Last(); k++ {
		sum := c.remaining(k)
		for _, end := range []End{Recovered, Abandoned, RecoveredWithUser} {
			sum += c.incidence(end, k)
		}
		near(t, "sum of shares", sum, 1, 1e-12)
		e := c.Estimate(Window{Ends: Recovered, Upto: k})
		if e.Value < last-1e-12 {
			t.Fatalf("F1 falls from %v to %v", last, e.Value)
		}
		last = e.Value
		if i := c.interval(e); i.Low != nil && !i.Contains(e.Value) {
			t.Fatalf("%v is outside of its band %v to %v", e.Value, *i.Low, *i.High)
		}
	}
	if c.Runs() >= 2 && c.Interval(Never).Low == nil {
		t.Fatal("no interval for two or more runs")
	}
}

// A pattern with a count is the same as its runs one by one.
func TestPatternsEqualRuns(t *testing.T) {
	var episodes []Episode
	run := 0
	for _, p := range example5() {
		for range p.Runs {
			for _, o := range p.Outcomes {
				episodes = append(episodes, Episode{Run: run, Outcome: o})
			}
			run++
		}
	}
	grouped := NewCohort(episodes)
	if len(grouped) != len(example5()) {
		t.Fatalf("%d patterns, want %d", len(grouped), len(example5()))
	}
	a, b := grouped.Curve().Estimate(Within3), example5().Curve().Estimate(Within3)
	near(t, "variance", a.Variance, b.Variance, 1e-15)
}

func TestCurveOfTooLittle(t *testing.T) {
	for name, cohort := range map[string]Cohort{
		"nothing":       nil,
		"never at risk": NewCohort([]Episode{{1, Outcome{0, Open}}, {2, Outcome{-5, Open}}}),
	} {
		c := cohort.Curve()
		if r := c.Recovery(); r.Within3 != nil || r.Unknown != nil {
			t.Errorf("%s: shares are known", name)
		}
		if c.Quantile(.5).Value.IsKnown() || len(c.Points(10)) != 0 || c.RestrictedMean().exists() {
			t.Errorf("%s: something is known", name)
		}
	}
	one := NewCohort([]Episode{{1, Outcome{1, Recovered}}}).Curve()
	if one.Interval(Within3).Low != nil {
		t.Error("one run has an interval")
	}
	strange := NewCohort([]Episode{{1, Outcome{2, Recovered | Abandoned}}, {2, Outcome{2, 200}}, {3, Outcome{1, Recovered}}}).Curve()
	near(t, "strange ends are open", value(t, "unknown", strange.Recovery().Unknown), 2.0/3, 1e-12)
	checkTotals(t, strange)
	huge := NewCohort([]Episode{{1, Outcome{math.MaxInt - 1, Recovered}}, {2, Outcome{3, Abandoned}}}).Curve()
	if len(huge.Points(50)) != 50 {
		t.Error("a huge number of attempts makes a huge curve")
	}
}

func BenchmarkCurveOfAMillionEpisodes(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	episodes := randomEpisodes(random, 1_000_000)
	for b.Loop() {
		c := NewCohort(episodes).Curve()
		c.Points(12)
		c.Quantile(.9)
	}
}
