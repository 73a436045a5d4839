package ui

import (
	"math"
	"strconv"
	"strings"
)

// Spark is a small line of values over time. A value that is not known leaves a gap.
type Spark struct {
	Label string
	Paths []string // the lines between gaps
	Dots  []Dot    // lone values, and the last one
	Ticks []Tick   // moments
}

// Tick is a moment in a spark.
type Tick struct{ X, Name string }

// Dot is a point of a drawing.
type Dot struct{ X, Y string }

const (
	sparkWidth  = 120.0
	sparkHeight = 28.0
)

// Mark puts a moment into the spark; at is its part of the way from the first value to the last.
func (s *Spark) Mark(at float64, name string) {
	if s == nil {
		return
	}
	s.Ticks = append(s.Ticks, Tick{number(2 + math.Min(1, math.Max(0, at))*(sparkWidth-4)), name})
	s.Label += "; " + name
}

// NewSpark draws values from 0 up.
func NewSpark(label string, values []*float64) *Spark {
	top := 0.0
	for _, v := range values {
		if v != nil {
			top = math.Max(top, *v)
		}
	}
	if len(values) < 2 || top == 0 {
		return nil
	}
	s := &Spark{Label: label}
	var points []string
	flush := func() {
		if len(points) > 1 {
			s.Paths = append(s.Paths, strings.Join(points, " "))
		}
		if len(points) == 1 {
			x, y, _ := strings.Cut(points[0], ",")
			s.Dots = append(s.Dots, Dot{x, y})
		}
		points = nil
	}
	for i, v := range values {
		if v == nil {
			flush()
			continue
		}
		x := 2 + float64(i)/float64(len(values)-1)*(sparkWidth-4)
		y := sparkHeight - 3 - *v/top*(sparkHeight-6)
		points = append(points, number(x)+","+number(y))
	}
	flush()
	for i := len(values) - 1; i >= 0; i-- {
		if v := values[i]; v != nil {
			s.Dots = append(s.Dots, Dot{number(2 + float64(i)/float64(len(values)-1)*(sparkWidth-4)), number(sparkHeight - 3 - *v/top*(sparkHeight-6))})
			break
		}
	}
	return s
}

// RangeMark is an interval on an axis that its table shares: a line from low to high with a dot at the value.
type RangeMark struct {
	Low, Width, Value string
	Mid               string // a line that all rows share, such as the total; "" for none
	Label             string
	Hollow            bool // too little to judge by
}

// NewRange places a share and its interval on an axis from 0 to top.
func NewRange(value, low, high, mid *float64, top float64) *RangeMark {
	if value == nil || top <= 0 {
		return nil
	}
	at := func(v float64) float64 { return math.Min(1, math.Max(0, v/top)) * 100 }
	m := &RangeMark{Value: number(at(*value)), Label: Percent(value)}
	if low != nil && high != nil {
		m.Low, m.Width = number(at(*low)), number(math.Max(at(*high)-at(*low), 0.5))
		m.Label += ", " + Range(low, high)
	} else {
		m.Hollow = true
	}
	if mid != nil {
		m.Mid = number(at(*mid))
	}
	return m
}

// Top is the end of an axis that holds all given shares.
func Top(values ...*float64) float64 {
	top := 0.0
	for _, v := range values {
		if v != nil {
			top = math.Max(top, *v)
		}
	}
	return top
}

// Bar is a share of a whole, drawn behind a number.
type Bar struct{ Width, Label string }

// NewBar draws part of whole.
func NewBar(part, whole float64) *Bar {
	if whole <= 0 {
		return nil
	}
	share := math.Min(1, math.Max(0, part/whole))
	return &Bar{Width: number(share * 100), Label: Percent(&share)}
}

// Strip is one mark for each call, in order.
type Strip struct {
	Marks []Mark
	Label string
	Width string
	More  string // "+ 40", where not all are drawn
}

// Mark is one call of a strip.
type Mark struct{ X, Kind, Href, Title string }

// MarkWidth is how wide a mark of a strip is, with the room after it.
const MarkWidth = 10

func number(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
