// Package chart makes the options of charts as data. Nothing in an option is a function, so that a page needs no inline
// script: a small script reads the data and draws it. Colours are named by the variables of the style sheet,
// "var(--blue)", which the script looks up, so that light and dark are decided in one place.
package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Chart is a chart as data.
type Chart struct {
	ID     string
	Label  string // what a reader who does not see it should know
	Option map[string]any
	Tips   []string // what is said of each place on the x axis, in the words of the table
	Links  []string // where each place on the x axis leads; nil: nowhere
}

// Data is what the page's script reads.
func (c Chart) Data() any {
	return struct {
		Option map[string]any `json:"option"`
		Tips   []string       `json:"tips"`
		Links  []string       `json:"links,omitempty"`
	}{c.Option, c.Tips, c.Links}
}

// Mark is a moment with a name.
type Mark struct{ At, Name string }

// entry is a line of a legend.
type entry struct {
	Name string `json:"name"`
	Icon string `json:"icon,omitempty"` // "": as the series is drawn
}

// areaIcon is how bars and bands stand in a legend.
const areaIcon = "roundRect"

// base is what all charts have in common, with the room below for the name of the x axis. The room above holds the legend and
// the names of moments.
func base(legend []entry, bottom string) []charts.GlobalOpts {
	top := "56"
	if len(legend) == 0 {
		top = "24"
	}
	return []charts.GlobalOpts{
		charts.WithAnimation(false),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{
			Show: opts.Bool(len(legend) > 0), Data: legend, Top: "0", Left: "0", ItemWidth: 14, ItemHeight: 8,
			TextStyle: &opts.TextStyle{Color: "var(--ink)"},
		}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: top, Bottom: bottom, ContainLabel: opts.Bool(true)}),
	}
}

func xAxis(name string) charts.GlobalOpts {
	return charts.WithXAxisOpts(opts.XAxis{
		Type: "category", Name: name, NameLocation: "middle", NameGap: 28,
		AxisLabel: &opts.AxisLabel{Color: "var(--muted)", HideOverlap: opts.Bool(true), ShowMinLabel: opts.Bool(true), ShowMaxLabel: opts.Bool(true)},
		AxisLine:  &opts.AxisLine{LineStyle: &opts.LineStyle{Color: "var(--line)"}},
	})
}

// everyName is the x axis of a chart with few places, each of which is named wherever there is room.
func everyName(name string) charts.GlobalOpts {
	axis := xAxis(name)
	return func(c *charts.BaseConfiguration) {
		axis(c)
		c.XAxisList[0].AxisLabel.Interval = "0"
	}
}

func yAxis(top any) opts.YAxis {
	return opts.YAxis{
		Type: "value", Min: 0, Max: top,
		AxisLabel: &opts.AxisLabel{Color: "var(--muted)", ShowMinLabel: opts.Bool(true), ShowMaxLabel: opts.Bool(true)},
		SplitLine: &opts.SplitLine{Show: opts.Bool(true), LineStyle: &opts.LineStyle{Color: "var(--line)"}},
	}
}

// percent is a share as a chart shows it, and nothing where it is not known.
func percent(share *float64) any {
	if share == nil || math.IsNaN(*share) {
		return nil
	}
	return math.Round(*share*1e4) / 100
}

// moment is a line that stands for a moment, with its name above the chart.
type moment struct {
	Name  string     `json:"name"`
	XAxis string     `json:"xAxis"`
	Label opts.Label `json:"label"`
}

// namesApart is the part of the axis that the name of a moment takes; nearer ones have none beside their line.
const namesApart = 6

// marks draws moments as thin lines. A name stands on the side of its line that has more room, so that it stays in the chart.
func marks(series []Mark, places []string) []any {
	last := -len(places)
	items := make([]any, len(series))
	for i, m := range series {
		at := slices.Index(places, m.At)
		label := opts.Label{Show: opts.Bool((at-last)*namesApart >= len(places)), Align: "left"}
		if 2*at > len(places) {
			label.Align = "right"
		}
		if at != last {
			last = at
		}
		items[i] = moment{Name: cut(m.Name), XAxis: m.At, Label: label}
	}
	return items
}

// marked are options of a series that carries lines.
func marked(items []any) []charts.SeriesOpts {
	if len(items) == 0 {
		return nil
	}
	return []charts.SeriesOpts{
		func(s *charts.SingleSeries) { s.MarkLines = &opts.MarkLines{Data: items} },
		charts.WithMarkLineStyleOpts(opts.MarkLineStyle{
			Symbol:    []string{"none", "none"},
			Label:     &opts.Label{Show: opts.Bool(true), Formatter: "{b}", Color: "var(--ink)", Position: "end"},
			LineStyle: &opts.LineStyle{Color: "var(--ink)", Type: "dashed", Width: 1},
		}),
	}
}

// whisker is the two ends of an interval that stands alone: a band between neighbours would have no width there.
type whisker [2]struct {
	Coord     []any          `json:"coord"`
	Symbol    string         `json:"symbol"`
	Label     opts.Label     `json:"label"`
	LineStyle opts.LineStyle `json:"lineStyle"`
}

// whiskers are the intervals of those values of a rate that have no neighbour.
func whiskers(r Rate, places []string) []any {
	alone := func(i int) bool { return i < 0 || i >= len(r.Values) || r.Values[i] == nil }
	var all []any
	for i, v := range r.Values {
		if v == nil || !alone(i-1) || !alone(i+1) || i >= len(r.Low) || r.Low[i] == nil || r.High[i] == nil {
			continue
		}
		var w whisker
		for end, at := range []*float64{r.Low[i], r.High[i]} {
			w[end].Coord, w[end].Symbol = []any{places[i], percent(at)}, "none"
			w[end].Label = opts.Label{Show: opts.Bool(false)}
			w[end].LineStyle = opts.LineStyle{Color: r.color(), Type: "solid", Width: 6, Opacity: opts.Float(.35)}
		}
		all = append(all, w)
	}
	return all
}

// longestName is how many characters of a moment's name stand along its line: more would run off the chart.
const longestName = 24

// cut shortens a name; the whole of it stands below the chart.
func cut(name string) string {
	letters := []rune(name)
	if len(letters) <= longestName {
		return name
	}
	return strings.TrimSpace(string(letters[:longestName-1])) + "…"
}

// lines are options of a line with points only where they stand alone or matter.
func lines(color string, width float32) []charts.SeriesOpts {
	return []charts.SeriesOpts{
		charts.WithLineChartOpts(opts.LineChart{Symbol: "circle", SymbolSize: 5, ShowSymbol: opts.Bool(true)}),
		charts.WithLineStyleOpts(opts.LineStyle{Color: color, Width: width}),
		charts.WithItemStyleOpts(opts.ItemStyle{Color: color}),
	}
}

const bandName = "95 % CI"

// band draws the stretch from low to high as two stacked lines, the lower one unseen.
func band(line *charts.Line, color string, low, high []*float64) {
	bottom, height := make([]opts.LineData, len(low)), make([]opts.LineData, len(low))
	for i := range low {
		if low[i] == nil || high[i] == nil {
			continue
		}
		height[i].Value = percent(ptr(*high[i] - *low[i]))
		bottom[i].Value = percent(low[i])
	}
	hidden := func(opacity float32) []charts.SeriesOpts {
		return []charts.SeriesOpts{
			charts.WithLineChartOpts(opts.LineChart{Symbol: "none", Stack: bandName}),
			charts.WithLineStyleOpts(opts.LineStyle{Opacity: opts.Float(0.001), Width: 1, Color: color}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: color}),
			charts.WithAreaStyleOpts(opts.AreaStyle{Opacity: opts.Float(opacity), Color: color}),
		}
	}
	line.AddSeries("lower end", bottom, hidden(0.001)...)
	line.AddSeries(bandName, height, hidden(0.2)...)
}

func ptr(v float64) *float64 { return &v }
