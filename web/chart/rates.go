package chart

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Rate is a share over time with its interval.
type Rate struct {
	Name      string
	Color     string // a variable of the style sheet; "" for blue
	Values    []*float64
	Low, High []*float64 // nil: without a band
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
		data := make([]opts.LineData, len(rate.Values))
		for j, v := range rate.Values {
			data[j].Value = percent(v)
		}
		options := lines(color, 2)
		if i == 0 {
			options = append(options, marks(r.Marks)...)
		}
		line.AddSeries(rate.Name, data, options...)
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
