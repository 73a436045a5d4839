package format_test

import (
	"os"
	"reflect"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// onlyFuzzed is the dialect that all time is spent on, where ERRATA_FUZZ_DIALECT names one.
func onlyFuzzed() string { return os.Getenv("ERRATA_FUZZ_DIALECT") }

// fuzzed tells whether a dialect's seeds are wanted.
func fuzzed(name string) bool { return onlyFuzzed() == "" || onlyFuzzed() == name }

// addSeeds gives a fuzz target every fixture, each under the name of the dialect that claims it.
func addSeeds(f *testing.F, add func(name string, value []byte)) {
	for _, fixture := range ownFixtures(f) {
		d, err := format.Detect(fixture.input)
		if err != nil || !fuzzed(d.Name) {
			continue
		}
		add(d.Name, fixture.input.Value)
	}
	for _, d := range format.Dialects() {
		if !fuzzed(d.Name) {
			continue
		}
		add(d.Name, []byte("{}"))
		add(d.Name, []byte("[{},{}]"))
		add(d.Name, []byte("{}\n{\"a\":{\"b\n"))
	}
}

// FuzzDetect: whatever comes, at most one dialect claims it, and it is refused with a reason otherwise.
func FuzzDetect(f *testing.F) {
	addSeeds(f, func(_ string, value []byte) { f.Add(value) })
	f.Fuzz(func(t *testing.T, value []byte) {
		input := dialect.Input{Value: value}
		if _, err := format.Detect(input); err != nil {
			checkError(t, err)
		}
		shape, _ := record.ShapeOf(value)
		claims := 0
		for _, d := range format.Dialects() {
			if d.Detect(shape) {
				claims++
			}
		}
		if claims > 1 {
			t.Errorf("%d dialects claim it", claims)
		}
	})
}

// FuzzDecode: whatever comes, every decoder returns, the same each time, and refuses with a reason. What it makes of
// an input can be split and decoded again without a panic.
func FuzzDecode(f *testing.F) {
	addSeeds(f, func(name string, value []byte) { f.Add(name, value) })
	f.Fuzz(func(t *testing.T, name string, value []byte) {
		if only := onlyFuzzed(); only != "" {
			name = only
		}
		d := format.ByName(name)
		if d == nil {
			return
		}
		input := dialect.Input{Value: value, Headers: map[string]string{dialect.HeaderFormat: name}}
		first, _, err := format.Decode(input, format.DefaultLimits())
		checkError(t, err)
		for _, reject := range first.Rejects {
			checkError(t, reject)
			if reject.Offset < 0 || reject.Offset > int64(len(value)) {
				t.Errorf("the place %d of a reject lies outside of the input", reject.Offset)
			}
		}
		second, _, _ := format.Decode(input, format.DefaultLimits())
		if !reflect.DeepEqual(first, second) {
			t.Errorf("decoding it again gives something else")
		}
		for _, fragment := range first.Fragments {
			if fragment.Meta.ID == "" {
				t.Errorf("a fragment has no run")
			}
			for i, message := range fragment.Messages {
				checkMessage(t, i, &message)
			}
		}
		parts, _ := format.Split(input, d, 1000)
		for _, part := range parts {
			_, _, err := format.Decode(dialect.Input{Key: part.Key, Value: part.Value, Headers: part.Headers}, format.Limits{})
			checkError(t, err)
			if err != nil && d.Split != nil {
				t.Errorf("a part of it cannot be decoded: %v\n%.300s", err, part.Value)
			}
		}
	})
}
