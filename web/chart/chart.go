// Package chart makes the options of charts as data. Nothing in an option is a function, so that a page needs no inline
// script: a small script reads the data and draws it. Colours are named by the variables of the style sheet,
// "var(--blue)", which the script looks up, so that light and dark are decided in one place.
package chart

import (
	"math"
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
}

// Data is what the page's script reads.
func (c Chart) Data() any {
	return struct {
		Option map[string]any `json:"option"`
		Tips   []string       `json:"tips"`
	}{c.Option, c.Tips}
}

// Mark is a moment with a name.
type Mark struct{ At, Name string }

// base is what all charts have in common, with the room below for the name of the x axis.
func base(names []string, bottom string) []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithAnimation(false),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{
			Show: opts.Bool(true), Data: names, Top: "0", Left: "0", ItemWidth: 14, ItemHeight: 8,
			TextStyle: &opts.TextStyle{Color: "var(--ink)"},
		}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "16", Top: "44", Bottom: bottom, ContainLabel: opts.Bool(true)}),
	}
}

func xAxis(name string) charts.GlobalOpts {
	return charts.WithXAxisOpts(opts.XAxis{
		Type: "category", Name: name, NameLocation: "middle", NameGap: 28,
		AxisLabel: &opts.AxisLabel{Color: "var(--muted)", HideOverlap: opts.Bool(true), ShowMinLabel: opts.Bool(true), ShowMaxLabel: opts.Bool(true)},
		AxisLine:  &opts.AxisLine{LineStyle: &opts.LineStyle{Color: "var(--line)"}},
	})
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

// marks draws moments as thin lines.
func marks(series []Mark) []charts.SeriesOpts {
	if len(series) == 0 {
		return nil
	}
	items := make([]opts.MarkLineNameXAxisItem, len(series))
	for i, m := range series {
		items[i] = opts.MarkLineNameXAxisItem{Name: cut(m.Name), XAxis: m.At}
	}
	return []charts.SeriesOpts{
		charts.WithMarkLineNameXAxisItemOpts(items...),
		charts.WithMarkLineStyleOpts(opts.MarkLineStyle{
			Symbol:    []string{"none", "none"},
			Label:     &opts.Label{Show: opts.Bool(true), Formatter: "{b}", Color: "var(--ink)", Position: "insideEndTop"},
			LineStyle: &opts.LineStyle{Color: "var(--ink)", Type: "dashed", Width: 1},
		}),
	}
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
func band(line *charts.Line, name string, low, high []*float64) {
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
			charts.WithLineChartOpts(opts.LineChart{Symbol: "none", Stack: name}),
			charts.WithLineStyleOpts(opts.LineStyle{Opacity: opts.Float(0.001), Width: 1, Color: "var(--blue)"}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: "var(--blue)"}),
			charts.WithAreaStyleOpts(opts.AreaStyle{Opacity: opts.Float(opacity), Color: "var(--blue)"}),
		}
	}
	line.AddSeries("lower end", bottom, hidden(0.001)...)
	line.AddSeries(name, height, hidden(0.2)...)
}

func ptr(v float64) *float64 { return &v }
