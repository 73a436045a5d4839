package chart

import (
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Rate is a share over time with its interval.
type Rate struct {
	Name      string
	Color     string // a variable of the style sheet; "" for blue
	Values    []*float64
	Low, High []*float64 // nil: without a band
	// Provisional says which values will change as what they rest on matures. They are drawn dashed and hollow.
	Provisional []bool
}

// ProvisionalName is what provisional values are called in the legend.
const ProvisionalName = "still maturing"

// split gives the values that stand and those that are provisional, the latter with the point before them, so that the
// dashed line begins where the whole one ends.
func (r Rate) split() (settled, provisional []opts.LineData) {
	settled = make([]opts.LineData, len(r.Values))
	for i, v := range r.Values {
		if i >= len(r.Provisional) || !r.Provisional[i] {
			settled[i].Value = percent(v)
			continue
		}
		if provisional == nil {
			provisional = make([]opts.LineData, len(r.Values))
		}
		provisional[i].Value = percent(v)
		if i > 0 && provisional[i-1].Value == nil && settled[i-1].Value != nil {
			provisional[i-1] = opts.LineData{Value: settled[i-1].Value, Symbol: "none"}
		}
	}
	return settled, provisional
}

// Rates are shares over time, above the counts that they rest on.
type Rates struct {
	ID, Label string
	Days      []string
	Rates     []Rate
	CountName string
	Counts    []int64 // nil: none
	// Young counts those that are still maturing, which no rate rests on yet. They stand on top of the others.
	Young []int64
	Marks []Mark
	Tips  []string
	Links []string
}

const blue = "var(--blue)"

// YoungName is what counts that are still maturing are called in the legend.
const YoungName = "too young for a rate"

func (r Rate) color() string {
	if r.Color == "" {
		return blue
	}
	return r.Color
}

// legend names what is drawn.
func (r Rates) legend() []entry {
	var all []entry
	for _, rate := range r.Rates {
		if !r.drawn() {
			break // there are bars alone
		}
		all = append(all, entry{Name: rate.Name})
		if rate.Low != nil {
			all = append(all, entry{bandName, areaIcon})
		}
		if slices.Contains(rate.Provisional, true) {
			all = append(all, entry{Name: ProvisionalName})
		}
	}
	if r.Counts != nil {
		all = append(all, entry{r.CountName, areaIcon})
	}
	if r.young() {
		all = append(all, entry{YoungName, areaIcon})
	}
	return all
}

func (r Rates) young() bool {
	return slices.ContainsFunc(r.Young, func(n int64) bool { return n > 0 })
}

// Chart makes the chart.
func (r Rates) Chart() Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(base(r.legend(), "8")...)
	rates := yAxis(nil)
	rates.AxisLabel.Formatter = "{value} %"
	line.SetGlobalOptions(xAxis(""), charts.WithYAxisOpts(rates))
	line.SetXAxis(r.Days)
	for i, rate := range r.Rates {
		if rate.Low != nil {
			band(line, rate.color(), rate.Low, rate.High)
		}
		data, provisional := rate.split()
		drawn := whiskers(rate, r.Days)
		if i == 0 {
			drawn = append(drawn, marks(r.Marks, r.Days)...)
		}
		options := append(lines(rate.color(), 2), marked(drawn)...)
		line.AddSeries(rate.Name, data, options...)
		if provisional != nil {
			line.AddSeries(ProvisionalName, provisional,
				charts.WithLineChartOpts(opts.LineChart{Symbol: "circle", SymbolSize: 7, ShowSymbol: opts.Bool(true)}),
				charts.WithLineStyleOpts(opts.LineStyle{Color: rate.color(), Width: 2, Type: "dashed"}),
				charts.WithItemStyleOpts(opts.ItemStyle{Color: "var(--card)", BorderColor: rate.color(), BorderWidth: 2}))
		}
	}
	if r.Counts != nil {
		r.counts(line)
	}
	line.Validate()
	return Chart{ID: r.ID, Label: r.Label, Option: line.JSON(), Tips: r.Tips, Links: r.Links}
}

// countsPart is how much of the chart's height the counts may take: a quarter. Where no rate is drawn they have all of it.
const countsPart = 4

func (r Rates) drawn() bool {
	known := func(v *float64) bool { return v != nil }
	return slices.ContainsFunc(r.Rates, func(rate Rate) bool { return slices.ContainsFunc(rate.Values, known) })
}

// counts draws the counts as bars at the foot, on an axis of their own.
func (r Rates) counts(line *charts.Line) {
	var most int64 = 1
	data, young := make([]opts.BarData, len(r.Counts)), make([]opts.BarData, len(r.Counts))
	for i, n := range r.Counts {
		data[i].Value = n
		if i < len(r.Young) {
			n += r.Young[i]
			if r.Young[i] > 0 {
				young[i].Value = r.Young[i]
			}
		}
		most = max(most, n)
	}
	axis := yAxis(most * countsPart)
	axis.Show = opts.Bool(false)
	axis.SplitLine = nil
	if !r.drawn() {
		axis = yAxis(nil)
		axis.Position, axis.MinInterval = "left", 1
	}
	line.ExtendYAxis(axis)
	bar := charts.NewBar()
	stacked := charts.WithBarChartOpts(opts.BarChart{YAxisIndex: 1, Stack: "counts"})
	bar.AddSeries(r.CountName, data, stacked, charts.WithItemStyleOpts(opts.ItemStyle{Color: "var(--bars)"}))
	if r.young() {
		bar.AddSeries(YoungName, young, stacked, charts.WithItemStyleOpts(opts.ItemStyle{Color: "var(--card)", BorderColor: "var(--quiet)", BorderWidth: 1}))
	}
	line.Overlap(bar)
}
