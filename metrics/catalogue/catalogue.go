// Package catalogue says in words what every number means. Pages and docs/metrics.md are made of the same records, so that
// they cannot say different things.
package catalogue

//go:generate go test -run TestPageIsFresh -args -write

// Direction says which way of a number is good.
type Direction string

// The directions.
const (
	Lower   Direction = "lower is better"
	Higher  Direction = "higher is better"
	Neither Direction = "neither is better"
)

// Metric is what there is to say of one number.
type Metric struct {
	Name       string // of the field in the API, or of the row of a comparison
	Question   string // that it answers
	Definition string
	Formula    string
	Unit       string
	Direction  Direction
	CannotSay  string // what must not be read into it
	Fields     string // of a row of the API that tell it, as a comma list; "" for what only a comparison has
}

// Section is the metrics of one question, in order.
type Section struct {
	Title    string
	Endpoint string // name in the API
	Metrics  []Metric
}

// Lookup finds a metric by its name.
func Lookup(name string) (Metric, bool) {
	for _, section := range Sections {
		for _, metric := range section.Metrics {
			if metric.Name == name {
				return metric, true
			}
		}
	}
	return Metric{}, false
}
