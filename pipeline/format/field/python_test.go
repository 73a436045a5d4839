package field_test

import (
	"strings"
	"testing"

	"errata/pipeline/format/field"
)

func TestFromPython(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, ok := field.FromPython(text)
		if got != want || ok != (want != "") {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	f(`{}`, `{}`)
	f(`{'city': 'Paris', 'days': 3}`, `{"city":"Paris","days":3}`)
	f(`{'a': True, 'b': None, 'c': [1.5, -2, 'x'], 'd': {'e': False}}`, `{"a":true,"b":null,"c":[1.5,-2,"x"],"d":{"e":false}}`)
	f(`{"it's": 'say "no"', 'n': 'a\nb\\c\'d'}`, `{"it's":"say \"no\"","n":"a\nb\\c'd"}`)
	f(`{'u': 'é\u00e9\x41'}`, `{"u":"ééA"}`)
	f(` {'a': 1,} `, ``)
	f(`{'a': datetime.date(2026, 1, 2)}`, ``)
	f(`{'a': nan}`, ``)
	f(`{'a'}`, ``)
	f(`{'a': 1} x`, ``)
	f(`{'a': 'b`, ``)
	f(`['a']`, ``)
	f(`{'a': (1, 2)}`, ``)
	f(strings.Repeat(`{'a': `, 1000), ``)
}
