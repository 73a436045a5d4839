package metrics

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxPrice is the dearest believable price, in dollars per million tokens.
const maxPrice = 100_000

// priceEntry is a price as its file has it. A cache price that is left out is that of input.
type priceEntry struct {
	Model      string   `json:"model"`
	Input      *float64 `json:"input"`
	CacheRead  *float64 `json:"cache_read"`
	CacheWrite *float64 `json:"cache_write"`
	Output     *float64 `json:"output"`
	ValidFrom  string   `json:"valid_from"`
	Source     string   `json:"source"`
}

// ParsePrices reads a price file: JSON, as an object with a list of prices or the list alone, or CSV with a line of column
// names. Both have model, input, cache_read, cache_write, output (dollars per million tokens), valid_from (a day, may be
// empty) and source.
func ParsePrices(data []byte) (*Prices, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	read := csvPrices
	if len(data) > 0 && (data[0] == '{' || data[0] == '[') {
		read = jsonPrices
	}
	entries, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	prices := make([]Price, 0, len(entries))
	for i := range entries {
		price, err := entries[i].price()
		if err != nil {
			return nil, fmt.Errorf("price %d (%q): %w", i+1, entries[i].Model, err)
		}
		prices = append(prices, price)
	}
	return NewPrices(prices), nil
}

func jsonPrices(data []byte) ([]priceEntry, error) {
	var file struct {
		Note   string       `json:"note"`
		Prices []priceEntry `json:"prices"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if data[0] == '[' {
		err := d.Decode(&file.Prices)
		return file.Prices, err
	}
	err := d.Decode(&file)
	return file.Prices, err
}

func csvPrices(data []byte) ([]priceEntry, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace = true
	r.Comment = '#'
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the line of column names: %w", err)
	}
	var entries []priceEntry
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		entry, err := csvPrice(header, row)
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		entries = append(entries, entry)
	}
}

func csvPrice(header, row []string) (priceEntry, error) {
	var entry priceEntry
	numbers := map[string]**float64{
		"input": &entry.Input, "cache_read": &entry.CacheRead, "cache_write": &entry.CacheWrite, "output": &entry.Output,
	}
	texts := map[string]*string{"model": &entry.Model, "valid_from": &entry.ValidFrom, "source": &entry.Source}
	for i, name := range header {
		name, value := strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(row[i])
		if text := texts[name]; text != nil {
			*text = value
			continue
		}
		number := numbers[name]
		if number == nil {
			return entry, fmt.Errorf("unknown column %q: use model, input, cache_read, cache_write, output, valid_from, source", name)
		}
		if value == "" {
			continue
		}
		parsed, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return entry, fmt.Errorf("%s is %q: write dollars per million tokens, like 2.50", name, value)
		}
		*number = &parsed
	}
	return entry, nil
}

func (e *priceEntry) price() (Price, error) {
	if strings.TrimSpace(e.Model) == "" {
		return Price{}, errors.New("model is missing")
	}
	if e.Input == nil || e.Output == nil {
		return Price{}, errors.New("input and output must both be given, in dollars per million tokens")
	}
	price := Price{Model: e.Model, Input: *e.Input, CacheRead: *e.Input, CacheWrite: *e.Input, Output: *e.Output, Source: e.Source}
	if e.CacheRead != nil {
		price.CacheRead = *e.CacheRead
	}
	if e.CacheWrite != nil {
		price.CacheWrite = *e.CacheWrite
	}
	for _, value := range [4]float64{price.Input, price.CacheRead, price.CacheWrite, price.Output} {
		if math.IsNaN(value) || value < 0 || value > maxPrice {
			return Price{}, fmt.Errorf("%v is no price: use dollars per million tokens, from 0 to %d", value, maxPrice)
		}
	}
	if e.ValidFrom == "" {
		return price, nil
	}
	from, err := time.Parse(time.DateOnly, e.ValidFrom)
	if err != nil {
		return Price{}, fmt.Errorf("valid_from is %q: write a day like 2025-06-30", e.ValidFrom)
	}
	price.ValidFrom = from
	return price, nil
}
