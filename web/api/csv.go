package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// asCSV is a reply of an answer's rows: the groups first, then the fields by their JSON names. What is no single value is
// JSON in its cell.
func asCSV[T any](name string, a ask.Answer[T]) (reply, error) {
	var body bytes.Buffer
	w := csv.NewWriter(&body)
	columns := columnsOf(reflect.TypeFor[T](), nil)
	if err := w.Write(header(a.Filters.By, columns)); err != nil {
		return reply{}, fmt.Errorf("write the answer to %s: %w", name, err)
	}
	for _, row := range a.Rows {
		cells, err := cellsOf(reflect.ValueOf(row), a.Filters.By, columns)
		if err != nil {
			return reply{}, fmt.Errorf("write the answer to %s: %w", name, err)
		}
		if err := w.Write(cells); err != nil {
			return reply{}, fmt.Errorf("write the answer to %s: %w", name, err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return reply{}, fmt.Errorf("write the answer to %s: %w", name, err)
	}
	return reply{kind: kindCSV, file: fileName(name, a.Filters), body: body.Bytes(), query: a.Query}, nil
}

// fileName says what the file holds and of which days.
func fileName(name string, f ask.Filters) string {
	if f.From.IsZero() || f.To.IsZero() {
		return "errata-" + name + ".csv"
	}
	return fmt.Sprintf("errata-%s-%s-%s.csv", name, f.From.Format(time.DateOnly), f.To.Format(time.DateOnly))
}

// column is a field of a result type.
type column struct {
	name  string
	index []int
}

// columnsOf lists the fields as encoding/json does, embedded ones in place.
func columnsOf(t reflect.Type, at []int) []column {
	var columns []column
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(append([]int{}, at...), i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			columns = append(columns, columnsOf(field.Type, index)...)
		case name != "" && name != "-" && field.Type != reflect.TypeFor[ask.Group]():
			columns = append(columns, column{name, index})
		}
	}
	return columns
}

func header(by []string, columns []column) []string {
	names := append([]string{}, by...)
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

func cellsOf(row reflect.Value, by []string, columns []column) ([]string, error) {
	cells := make([]string, 0, len(by)+len(columns))
	if group, ok := groupOf(row); ok {
		for _, dimension := range by {
			cells = append(cells, review.SafeCell(group[dimension]))
		}
	}
	for _, c := range columns {
		text, err := cellOf(row.FieldByIndex(c.index))
		if err != nil {
			return nil, err
		}
		cells = append(cells, text)
	}
	return cells, nil
}

func groupOf(row reflect.Value) (ask.Group, bool) {
	for i := range row.NumField() {
		if group, ok := row.Field(i).Interface().(ask.Group); ok {
			return group, true
		}
	}
	return nil, false
}

// cellOf writes a value: numbers raw, what is absent empty, times in RFC 3339.
func cellOf(v reflect.Value) (string, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", nil
		}
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano), nil
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), nil
	case string:
		return review.SafeCell(value), nil
	case bool:
		return strconv.FormatBool(value), nil
	}
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10), nil
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return "", err
	}
	return jsonCell(string(text)), nil
}

// jsonCell writes JSON text; a lone JSON string or null as what it says.
func jsonCell(text string) string {
	if text == "null" {
		return ""
	}
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	return review.SafeCell(text)
}
