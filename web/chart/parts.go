package chart

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Part is one part of a total over time.
type Part struct {
	Name   string
	Values []float64
}

// Parts are totals over time and what they are made of, each part on top of the one before.
type Parts struct {
	ID, Label string
	Days      []string
	Parts     []Part
	Partial   []bool    // of a place that is cut off, and drawn pale
	Rest      []float64 // of all that is no part of its own; nil: nothing is left
	RestName  string
	Marks     []Mark
	Tips      []string
	Links     []string
}

// partColors tell parts apart, also for readers who see few colours. More parts than these make no chart that can be read.
func partColors() []string {
	return []string{"var(--blue)", "var(--orange)", "var(--green)", "var(--purple)"}
}

// MostParts is how many parts a chart can show beside the rest.
func MostParts() int { return len(partColors()) }

// Chart makes the chart.
func (p Parts) Chart() Chart {
	bar := charts.NewBar()
	var legend []entry
	for _, part := range p.Parts {
		legend = append(legend, entry{part.Name, areaIcon})
	}
	if p.Rest != nil {
		legend = append(legend, entry{p.RestName, areaIcon})
	}
	bar.SetGlobalOptions(base(legend, "8")...)
	bar.SetGlobalOptions(xAxis(""), charts.WithYAxisOpts(yAxis(nil)))
	bar.SetXAxis(p.Days)
	add := func(name, color string, values []float64, more ...charts.SeriesOpts) {
		data := make([]opts.BarData, len(values))
		for i, v := range values {
			data[i].Value = v
			if i < len(p.Partial) && p.Partial[i] {
				data[i].ItemStyle = &opts.ItemStyle{Color: color, Opacity: opts.Float(.45)}
			}
		}
		bar.AddSeries(name, data, append(more, charts.WithBarChartOpts(opts.BarChart{Stack: "parts"}), charts.WithItemStyleOpts(opts.ItemStyle{Color: color}))...)
	}
	for i, part := range p.Parts[:min(len(p.Parts), MostParts())] {
		var moments []charts.SeriesOpts
		if i == 0 {
			moments = marked(marks(p.Marks, p.Days))
		}
		add(part.Name, partColors()[i], part.Values, moments...)
	}
	if p.Rest != nil {
		add(p.RestName, "var(--bars)", p.Rest)
	}
	bar.Validate()
	return Chart{ID: p.ID, Label: p.Label, Option: bar.JSON(), Tips: p.Tips, Links: p.Links}
}
