package review

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"errata/metrics"
)

// Entry is one alias: a name that is guessed wrongly and the right one. At the level of values both are canonical JSON
// scalars, or AnyCase where only the case is ever wrong.
type Entry struct {
	Level    string `json:"level"`
	Tool     string `json:"tool"`
	Field    string `json:"field"`
	Rejected string `json:"rejected"`
	Accepted string `json:"accepted"`
}

// Table is the aliases that were accepted.
type Table []Entry

// MaxEntries is how many entries a table may hold.
const MaxEntries = 10_000

// check finds what is wrong with an entry.
func (e Entry) check() error {
	levels := []string{string(metrics.LevelValue), string(metrics.LevelParameter), string(metrics.LevelTool)}
	if !slices.Contains(levels, e.Level) {
		return invalid("level", "level is %.40q; it must be value, parameter or tool", e.Level)
	}
	for _, part := range []struct{ name, text string }{
		{"tool", e.Tool}, {"rejected", e.Rejected}, {"accepted", e.Accepted},
	} {
		if part.text == "" {
			return invalid(part.name, "%s is missing; give it as the candidate has it", part.name)
		}
	}
	for _, part := range []struct{ name, text string }{
		{"tool", e.Tool}, {"field", e.Field}, {"rejected", e.Rejected}, {"accepted", e.Accepted},
	} {
		if len(part.text) > maxName {
			return invalid(part.name, "%s has %d bytes; at most %d are kept", part.name, len(part.text), maxName)
		}
	}
	if e.Level != string(metrics.LevelValue) || e.Rejected == AnyCase && e.Accepted == AnyCase {
		return nil
	}
	if !isScalar(e.Rejected) {
		return invalid("rejected", `rejected is %.40s, which is no JSON scalar; write a text with its quotes, as the candidate has it`, e.Rejected)
	}
	if !isScalar(e.Accepted) {
		return invalid("accepted", `accepted is %.40s, which is no JSON scalar; write a text with its quotes, as the candidate has it`, e.Accepted)
	}
	return nil
}

// check finds what is wrong with a table.
func (t Table) check() error {
	if len(t) > MaxEntries {
		return invalid("", "the table has %d entries; at most %d are read at once", len(t), MaxEntries)
	}
	for i, e := range t {
		err := e.check()
		if err == nil && e.sensitive() {
			err = invalid("rejected", "a value that looks like an address, a phone number, a token or a key cannot become an alias")
		}
		if err != nil {
			return invalid(fmt.Sprintf("entries[%d]", i), "entry %d: %v", i+1, err)
		}
	}
	return nil
}

// JSON writes the table as a JSON list.
func (t Table) JSON() ([]byte, error) {
	if t == nil {
		t = Table{}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(t); err != nil {
		return nil, fmt.Errorf("write the table as JSON: %w", err)
	}
	return out.Bytes(), nil
}

var csvHeader = []string{"level", "tool", "field", "rejected", "accepted"}

// CSV writes the table as CSV with a header, safe to open in a spreadsheet.
func (t Table) CSV() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{csvHeader}
	for _, e := range t {
		rows = append(rows, []string{
			SafeCell(e.Level), SafeCell(e.Tool), SafeCell(e.Field), SafeCell(e.Rejected), SafeCell(e.Accepted),
		})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write the table as CSV: %w", err)
	}
	return out.Bytes(), nil
}

// formulaStarts are the characters at which a spreadsheet takes a cell for a formula, and the quote that prevents it.
const formulaStarts = "=+-@\t\r'"

// SafeCell puts a quote before a text that a spreadsheet would take for a formula. Names come from model output.
func SafeCell(text string) string {
	if text != "" && strings.Contains(formulaStarts, text[:1]) {
		return "'" + text
	}
	return text
}

func unsafeCell(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.Contains(formulaStarts, cell[1:2]) {
		return cell[1:]
	}
	return cell
}

// ParseTable reads what JSON, CSV or Go wrote; which of them it is shows by how it begins.
func ParseTable(data []byte) (Table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
		return nil, invalid("", "the table is empty; send what the export gave, as JSON, CSV or Go")
	case text[0] == '[':
		return parseJSON(text)
	case bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("package ")):
		return parseGo(text)
	case bytes.HasPrefix(text, []byte("level,")):
		return parseCSV(text)
	}
	return nil, invalid("", "the table begins with %.20q; send what the export gave: a JSON list, CSV with its header, or Go source", text)
}

func parseJSON(text []byte) (Table, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var t Table
	if err := decoder.Decode(&t); err != nil {
		return nil, invalid("", "the table is no JSON list of aliases: %v", err)
	}
	return t, nil
}

func parseCSV(text []byte) (Table, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = len(csvHeader)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, invalid("", "the table is no CSV of aliases: %v", err)
	}
	if !slices.Equal(rows[0], csvHeader) {
		return nil, invalid("", "the header is %q; it must be %q", strings.Join(rows[0], ","), strings.Join(csvHeader, ","))
	}
	t := make(Table, 0, len(rows)-1)
	for _, row := range rows[1:] {
		for i := range row {
			row[i] = unsafeCell(row[i])
		}
		t = append(t, Entry{row[0], row[1], row[2], row[3], row[4]})
	}
	return t, nil
}
