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
	Marks     []Mark
	Tips      []string
}

const blue = "var(--blue)"

// Chart makes the chart.
func (r Rates) Chart() Chart {
	line := charts.NewLine()
	var names []string
	for _, rate := range r.Rates {
		names = append(names, rate.Name)
		if rate.Low != nil {
			names = append(names, bandName)
		}
		if slices.Contains(rate.Provisional, true) {
			names = append(names, ProvisionalName)
		}
	}
	if r.Counts != nil {
		names = append(names, r.CountName)
	}
	line.SetGlobalOptions(base(names, "8")...)
	rates := yAxis(nil)
	rates.AxisLabel.Formatter = "{value} %"
	line.SetGlobalOptions(xAxis(""), charts.WithYAxisOpts(rates))
	line.SetXAxis(r.Days)
	for i, rate := range r.Rates {
		color := rate.Color
		if color == "" {
			color = blue
		}
		if rate.Low != nil {
			band(line, bandName, rate.Low, rate.High)
		}
		data, provisional := rate.split()
		options := lines(color, 2)
		if i == 0 {
			options = append(options, marks(r.Marks)...)
		}
		line.AddSeries(rate.Name, data, options...)
		if provisional != nil {
			line.AddSeries(ProvisionalName, provisional,
				charts.WithLineChartOpts(opts.LineChart{Symbol: "emptyCircle", SymbolSize: 7, ShowSymbol: opts.Bool(true)}),
				charts.WithLineStyleOpts(opts.LineStyle{Color: color, Width: 2, Type: "dashed"}),
				charts.WithItemStyleOpts(opts.ItemStyle{Color: color}))
		}
	}
	if r.Counts != nil {
		r.counts(line)
	}
	line.Validate()
	return Chart{ID: r.ID, Label: r.Label, Option: line.JSON(), Tips: r.Tips}
}

// countsPart is how much of the chart's height the counts may take: a quarter.
const countsPart = 4

// counts draws the counts as bars at the foot, on an axis of their own.
func (r Rates) counts(line *charts.Line) {
	var most int64 = 1
	data := make([]opts.BarData, len(r.Counts))
	for i, n := range r.Counts {
		most = max(most, n)
		data[i].Value = n
	}
	axis := yAxis(most * countsPart)
	axis.Show = opts.Bool(false)
	axis.SplitLine = nil
	line.ExtendYAxis(axis)
	bar := charts.NewBar()
	bar.AddSeries(r.CountName, data,
		charts.WithBarChartOpts(opts.BarChart{YAxisIndex: 1}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: "var(--bars)"}))
	line.Overlap(bar)
}
