package metrics

import (
	"math"
	"strings"
	"testing"

	"errata/transcript"
)

func callWith(arguments string) *callState {
	return &callState{leaves: sortedLeaves(transcript.Canonical(arguments), defaultMaxLeaves)}
}

func TestSimilarity(t *testing.T) {
	f := func(before, after string, want float64) {
		t.Helper()
		var m comparer
		got := m.similarity(callWith(before), callWith(after), &faults{}, 0)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("similarity of %s and %s is %v, want %v", before, after, got, want)
		}
	}
	f(`{}`, ``, 1)                                  // nothing left
	f(`{"a":1}`, `{"a":1.0}`, 1)                    // equal by value
	f(`{"a":1}`, `{"a":2}`, 0)                      // numbers are equal or not
	f(`{"a":1}`, `{"a":"1"}`, 0)                    // two types
	f(`{"a":"OPEN"}`, `{"a":"open"}`, 1)            // case-folded
	f(`{"a":"kitten"}`, `{"a":"sitting"}`, 1-3.0/7) // Levenshtein's own example
	f(`{"a":"Straße"}`, `{"a":"STRASSE"}`, 1)       // folding is Unicode's
	f(`{"a":"äöü"}`, `{"a":"äöo"}`, 2.0/3)          // code points, not bytes
	f(`{"a":"x y z"}`, `{"a":"x-y w"}`, 2.0/4)      // words: x y of x y z w
	f(`{"a":"x y"}`, `{"a":"xy"}`, 0)               // white space in one of them: words
	f(`{"a":"- -"}`, `{"a":"+ +"}`, 0)              // no words at all
	f(`{"a":""}`, `{"a":"x"}`, 0)                   // empty and something
	f(`{"a":1,"b":2}`, `{"a":1}`, 0.5)              // a leaf on one side only
	f(`{"a":1,"b":2}`, `{"a":1,"c":3}`, 1.0/3)      // one on either side
	f(`{"path":"p"}`, `{"file":"p"}`, 1)            // renamed
	f(`{"path":true}`, `{"file":true}`, 0)          // but true says too little
	f(`{"path":""}`, `{"file":""}`, 0)              // and so does nothing
	f(`{"a":[1,2]}`, `{"a":[1,3]}`, 0.5)            // leaves of arrays
	f(`{"a":{}}`, `{"a":{}}`, 1)                    // an empty object is a leaf
	f(`{"a`, `{"a`, 1)                              // text
	f(`{"a b c`, `{"a b d`, 0.5)                    // text by its words
	f(`{"a":"x"}`, `{"a":"x","b":"x"}`, 0.5)        // b is new, a is not renamed
	f(`{"a":"x","b":"x"}`, `{"c":"x"}`, 0.5)        // one pairs, the other is left over
	long := strings.Repeat("ab", 200)
	f(`{"a":"`+long+`x"}`, `{"a":"`+long+`y"}`, 0) // longer than 256: words, and they differ
}

func TestSimilarityLeavesOut(t *testing.T) {
	f := func(before, after, text string, named []string, want float64) {
		t.Helper()
		var m comparer
		out := faults{named: named}
		if text != "" {
			out.messages = []message{newMessage(text)}
		}
		got := m.similarity(callWith(before), callWith(after), &out, 0)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("similarity of %s and %s is %v, want %v", before, after, got, want)
		}
	}
	f(`{"a":1,"b":2}`, `{"a":1,"b":3}`, "", []string{"/b"}, 1)                 // named
	f(`{"a":{"x":1,"y":2},"b":1}`, `{"b":1}`, "", []string{"/a"}, 1)           // with all that it holds
	f(`{"a":1,"ab":2}`, `{"a":1,"ab":3}`, "", []string{"/a"}, 0)               // not what begins alike
	f(`{"b":2}`, `{"b":3}`, "", []string{"/b"}, 1)                             // nothing left
	f(`{"p":"v"}`, `{"q":"v"}`, "", []string{"/q"}, 1)                         // renamed before anything is left out
	f(`{"p":"v","r":1}`, `{"q":"v","r":2}`, "", []string{"/p"}, 0.5)           // and so it stays
	f(`{"a":1,"b":2}`, `{"a":1,"b":3}`, "b is wrong", nil, 1)                  // inferred, another leaf remains
	f(`{"b":2}`, `{"b":3}`, "b is wrong", nil, 0)                              // nothing would remain
	f(`{}`, `{"b":3}`, "b is required", nil, 1)                                // but the earlier call lacked it
	f(`{"a":1,"b":2}`, `{"a":1,"b":3}`, "a or b", nil, 0.5)                    // two names: not one argument
	f(`{"a":1,"b":"red"}`, `{"a":1,"b":"tan"}`, "a or b: no red", nil, 1)      // else the one whose value does
	f(`{"a":1,"status":"x"}`, `{"a":1,"status":"y"}`, "bad statuses", nil, .5) // as a word
}

func TestSimilarityStopsEarly(t *testing.T) {
	f := func(before, after string, enough float64, want bool) {
		t.Helper()
		var m comparer
		if got := m.similarity(callWith(before), callWith(after), &faults{}, enough) >= enough; got != want {
			t.Errorf("%s and %s are alike at %v: %v", before, after, enough, got)
		}
	}
	f(`{"a":1,"b":2,"c":3,"d":4}`, `{"a":0,"b":0,"c":3,"d":4}`, 0.5, true) // the last leaves decide
	f(`{"a":1,"b":2,"c":3,"d":4}`, `{"a":0,"b":0,"c":0,"d":4}`, 0.5, false)
	f(`{"a":1,"b":2}`, `{"a":0,"b":0}`, 0, true)
	f(`{"a":1,"b":2}`, `{"a":1,"b":2}`, 1, true)
}

func TestSimilarityIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 250))
		b.WriteString(`","`)
	}
	huge := callWith(`{"a":["` + b.String() + `"],"z":"` + strings.Repeat("lorem ipsum ", 200_000) + `"}`)
	other := callWith(`{"a":["x` + b.String() + `"],"z":"` + strings.Repeat("dolor amet ", 200_000) + `"}`)
	var m comparer
	for range 32 {
		m.similarity(huge, other, &faults{}, 0)
	}
	if m.cells > maxEditCells {
		t.Errorf("%d cells of edit distances, want at most %d", m.cells, maxEditCells)
	}
}
