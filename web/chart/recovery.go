package chart

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Bucket is one bar of a distribution.
type Bucket struct {
	Name  string
	Count int64
	Text  string // the count as it is written on the bar
	Color string // "" for blue
}

// Distribution is how many episodes ended in which way. A bucket without a name is a gap.
type Distribution struct {
	ID, Label, XName string
	Buckets          []Bucket
	Tips             []string
	Links            []string
}

// Chart makes the chart.
func (d Distribution) Chart() Chart {
	bar := charts.NewBar()
	bar.SetGlobalOptions(base(nil, "32")...)
	bar.SetGlobalOptions(everyName(d.XName), charts.WithYAxisOpts(yAxis(nil)))
	names := make([]string, len(d.Buckets))
	data := make([]opts.BarData, len(d.Buckets))
	for i, b := range d.Buckets {
		names[i] = b.Name
		if b.Name == "" {
			continue
		}
		color := b.Color
		if color == "" {
			color = blue
		}
		data[i] = opts.BarData{
			Value: b.Count, ItemStyle: &opts.ItemStyle{Color: color},
			Label: &opts.Label{Show: opts.Bool(true), Position: "top", Color: "var(--ink)", Formatter: b.Text},
		}
	}
	bar.SetXAxis(names)
	bar.AddSeries("episodes", data)
	bar.Validate()
	return Chart{ID: d.ID, Label: d.Label, Option: bar.JSON(), Tips: d.Tips, Links: d.Links}
}

// Curve is a share that grows with attempts, with its band.
type Curve struct {
	ID, Label, Name, XName string
	Steps                  []string
	Values, Low, High      []*float64
	Tips                   []string
}

// Chart makes the chart.
func (c Curve) Chart() Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(base([]entry{{Name: c.Name}, {bandName, areaIcon}}, "32")...)
	axis := yAxis(100)
	axis.AxisLabel.Formatter = "{value} %"
	line.SetGlobalOptions(xAxis(c.XName), charts.WithYAxisOpts(axis))
	line.SetXAxis(c.Steps)
	band(line, blue, c.Low, c.High)
	data := make([]opts.LineData, len(c.Values))
	for i, v := range c.Values {
		data[i].Value = percent(v)
	}
	line.AddSeries(c.Name, data, lines(blue, 2)...)
	line.Validate()
	return Chart{ID: c.ID, Label: c.Label, Option: line.JSON(), Tips: c.Tips}
}
